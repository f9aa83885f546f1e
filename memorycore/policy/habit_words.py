"""Habits of people, how they are called, and what breaks with them: data, no rules.

`called` is what somebody is who has the habit, `shuns` what "does not eat", "gave up" and the like are said
of, `breaks` what whoever has the habit does not take. Words are given in the singular.
Of two names of which one ends like the other, the longer one stands first.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

Doing = Literal["eat", "drink", "smoke"]


class Habit(NamedTuple):
    """A habit in one language."""

    doing: Doing
    called: str
    shuns: str
    breaks: str


_PORK: Final = "pork|bacon|ham|salami|prosciutto|pork chop|pork rib|pulled pork"
_BEEF: Final = "beef|steak|beefsteak|rib-eye|ribeye|sirloin|hamburger|beef burger|brisket|roast beef"
_OTHER_MEAT: Final = (
    "meat|red meat|chicken|chicken breast|chicken wing|fried chicken|turkey|lamb|lamb chop|mutton|veal|"
    "duck|goose|"
    "venison|rabbit|sausage|bratwurst|meatball|schnitzel|cheeseburger|burger|hot dog|spare rib|kebab|chorizo"
)
_FISH: Final = (
    "fish|salmon|tuna|trout|cod|sushi|sashimi|shrimp|prawn|lobster|crab|oyster|mussel|seafood|squid|anchovy|"
    "sardine|herring|mackerel|fish and chips|eel"
)
_DAIRY: Final = (
    "cheese|egg|fried egg|scrambled egg|omelette|omelet|butter|yoghurt|yogurt|cheesecake|cheeseburger"
)
_ALCOHOL: Final = (
    "alcohol|beer|lager|ale|stout|wine|red wine|white wine|champagne|prosecco|whisky|whiskey|bourbon|"
    "vodka|gin|"
    "rum|tequila|sake|cognac|brandy|cider|cocktail|margarita|mojito|martini|gin and tonic|negroni|"
    "schnapps|beers"
)
_COFFEE: Final = "coffee|espresso|latte|cappuccino|americano|macchiato|flat white|cold brew|mocha"
_TOBACCO: Final = "cigarette|cigar|cigarillo|pipe|tobacco|pack a day|pack of cigarettes"
_MEAT: Final = f"{_BEEF}|{_PORK}|{_OTHER_MEAT}"

ENGLISH: Final = (
    Habit("eat", "vegetarian|veggie", "meat or fish|meat and fish|animals", f"{_MEAT}|{_FISH}"),
    Habit(
        "eat",
        "vegan|plant-based",
        "animal products|anything from animals",
        f"{_MEAT}|{_FISH}|{_DAIRY}",
    ),
    Habit("eat", "pescatarian|pescetarian", "meat|any meat", _MEAT),
    Habit("eat", "", "red meat", f"{_BEEF}|red meat|lamb|lamb chop|mutton|venison"),
    Habit("eat", "", "beef", _BEEF),
    Habit("eat", "", "pork", _PORK),
    Habit("eat", "", "fish|seafood|fish or seafood", _FISH),
    Habit("drink", "teetotal|teetotaler|teetotaller|non-drinker", "alcohol|alcoholic drinks", _ALCOHOL),
    Habit("drink", "", "coffee|caffeine", _COFFEE),
    Habit("smoke", "non-smoker|nonsmoker|ex-smoker", "cigarettes|tobacco|nicotine", _TOBACCO),
)

_PORK_ZH: Final = "猪肉|红烧肉|培根|火腿|排骨|五花肉|猪排|叉烧|回锅肉"
_BEEF_ZH: Final = "牛肉|牛排|肥牛|牛腩|牛肉面|牛肉汉堡|牛肉火锅"
_OTHER_MEAT_ZH: Final = (
    "肉|荤|荤菜|羊肉|鸡肉|炸鸡|烤鸡|鸡腿|鸡翅|鸭肉|烤鸭|鹅肉|羊肉串|烤肉|烤羊肉|涮羊肉|香肠|汉堡|肉丸|肉包子"
)
_FISH_ZH: Final = "鱼|鱼肉|三文鱼|金枪鱼|烤鱼|酸菜鱼|寿司|生鱼片|虾|龙虾|小龙虾|螃蟹|大闸蟹|生蚝|海鲜|鱿鱼"
_DAIRY_ZH: Final = "奶酪|芝士|鸡蛋|煎蛋|炒鸡蛋|黄油|酸奶|蛋糕"
_ALCOHOL_ZH: Final = "酒|啤酒|白酒|红酒|葡萄酒|黄酒|威士忌|伏特加|香槟|鸡尾酒|清酒|烧酒|茅台"
_MEAT_ZH: Final = f"{_BEEF_ZH}|{_PORK_ZH}|{_OTHER_MEAT_ZH}"

CHINESE: Final = (
    Habit(
        "eat",
        "纯素食者|纯素食主义者|纯素|吃纯素|吃全素|严格素食者",
        "动物制品|任何动物制品",
        f"{_MEAT_ZH}|{_FISH_ZH}|{_DAIRY_ZH}",
    ),
    Habit(
        "eat",
        "素食者|素食主义者|素食|吃素|吃素食|吃素的|吃素食的|茹素",
        "肉和鱼|荤|荤菜|荤腥",
        f"{_MEAT_ZH}|{_FISH_ZH}",
    ),
    Habit("eat", "", "肉|肉类|任何肉", _MEAT_ZH),
    Habit("eat", "", "牛肉", _BEEF_ZH),
    Habit("eat", "", "猪肉", _PORK_ZH),
    Habit("eat", "", "鱼|海鲜|鱼和海鲜", _FISH_ZH),
    Habit("drink", "滴酒不沾|戒酒", "酒|酒精|含酒精的饮料", _ALCOHOL_ZH),
    Habit("drink", "", "咖啡|咖啡因", "咖啡|拿铁|美式|卡布奇诺|意式浓缩|浓缩咖啡|冰美式"),
    Habit("smoke", "戒烟|不抽烟的人", "烟|香烟", "烟|香烟|雪茄|电子烟"),
)
