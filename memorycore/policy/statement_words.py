"""The words by which a sentence shows that it gives one value of one thing: data, no rules.

Each table is a list of alternatives of a regular expression. What can have several values at a time (friend,
child, hobby, skill, allergy) does not belong here.
"""

from __future__ import annotations

from typing import Final

ROLES: Final = (
    "author|lead|owner|head|chief|boss|director|managing director|chair|chairman|chairwoman|chairperson|"
    "president|vice president|prime minister|minister|chancellor|governor|mayor|king|queen|monarch|"
    "ceo|cto|cfo|chief executive|chief executive officer|founder|coach|head coach|captain|principal|dean|"
    "editor|maintainer|assignee|manager|supervisor|landlord|landlady|husband|wife|spouse|capital|"
    "capital city|headquarters|birthplace|hometown|currency|official language|religion|nationality|"
    "citizenship|employer|occupation|profession|job title|publisher|manufacturer|broadcaster|"
    "parent company|alma mater|zodiac sign|blood type|native language|mother tongue|dentist|"
    "general practitioner|primary doctor|tech lead|product owner|scrum master|team lead"
)
"""What has one holder or one value at a time: the <role> of X, X's <role>."""

CATEGORIES: Final = (
    "city|town|village|country|state|province|region|continent|county|district|municipality|island|"
    "sport|religion|faith|denomination|field|genre|language|party|league|currency|time zone|timezone|"
    "industry|sector|building|department"
)
"""What names the kind of the value that follows: in the city of, with the sport of."""

OFFICES: Final = "position|rank|office|post"
"""What somebody holds one of, whatever the verb: plays the position of."""

KINDS: Final = (
    "language|religion|nationality|citizenship|faith|denomination|occupation|profession|type|kind|sort|genre|"
    "style|currency|sport|colour|color|position|rank|name|title|brand|breed|blood type|zodiac sign"
)
"""Heads whose value may be any word: the language is Finnish, the type of music is jazz."""

SEVERAL: Final = (
    "sister|brother|sibling|daughter|son|child|kid|friend|cousin|uncle|aunt|nephew|niece|grandchild|grandson|"
    "granddaughter|colleague|coworker|neighbour|neighbor|classmate|roommate|flatmate|student|pupil|teacher|"
    "customer|client|supplier|competitor|rival|member|fan|part|one|thing|place|hobby|interest|pet|dog|cat|"
    "book|song|film|movie|game|dish|project|city|country|person|example|benefit|side effect|ingredient|"
    "reason|symptom|feature|speaker|guest|visitor|player|actor|actress"
)
"""Heads that a thing may have several of, even where one is spoken of as "the" one."""

ONCE: Final = (
    "born|founded|co-founded|created|established|invented|developed|designed|composed|written|directed|"
    "discovered|formed|performed|incorporated|authored"
)
"""What happens to a thing once, so that who did it and where is settled: was founded by, was born in."""

STANDING: Final = (
    "employed|owned|led|headed|managed|run|coached|published|maintained|operated|sponsored|hosted|taught|"
    "chaired|governed|supervised"
)
"""What is done to a thing by one at a time: is owned by."""

PLACED: Final = "located|situated|based|headquartered|stationed|housed"
"""Ways to be in one place at a time."""

TIED: Final = f"{PLACED}|registered|enrolled|associated|affiliated|hosted"
"""Ways to belong to one of a kind, where the kind is named: is associated with the sport of."""

ROLES_ZH: Final = (
    "作者|负责人|所有者|主管|老板|上司|主任|董事长|主席|总统|总理|首相|省长|市长|州长|校长|院长|国王|女王|"
    "首席执行官|首席技术官|总裁|总经理|创始人|创办人|教练|主教练|队长|班主任|班长|主编|导演|编剧|房东|经理|"
    "项目经理|产品经理|组长|丈夫|妻子|老公|老婆|配偶|首都|省会|总部|总部所在地|出生地|家乡|籍贯|老家|货币|"
    "官方语言|宗教|宗教信仰|信仰|国籍|雇主|职业|职位|职务|出版社|制造商|母公司|母校|星座|血型|母语|牙医|"
    "家庭医生|维护者|技术负责人|值班人"
)
"""The same as `ROLES`, in Chinese."""

PEOPLE_ZH: Final = (
    "作者|负责人|所有者|主管|老板|上司|主任|主席|总统|总理|首相|国王|女王|官|总裁|总经理|人|教练|长|主编|导演|"
    "编剧|房东|经理|丈夫|妻子|老公|老婆|配偶|雇主|牙医|医生|维护者"
)
"""The ends of those that only a name can be the value of: 老板是德国人 tells of which kind, not who."""

DESCRIBES_ZH: Final = "人|师|员|家|生|女|男|者|迷|手|型|派|子|友|哥|姐|籍|族"
"""The ends of words that tell how somebody is."""

ONCE_ZH: Final = "创立|创办|创建|成立|发明|开发|设计|创作|执导|撰写|编写|谱写|演唱|演奏|发现|建立|绘制|翻译"
"""The same as `ONCE`: 由 … 创立."""

STANDING_ZH: Final = "负责|管理|拥有|领导|主持|出版|维护|运营|赞助|执教|主管|照看"
"""The same as `STANDING`: 由 … 负责."""
