"""English words that verdicts turn on: role -> key -> phrases. See `slot_words` for what they mean."""

from typing import Final

ENGLISH: Final[dict[str, dict[str, str]]] = {
    "filler": {
        "_": (
            "a|an|the|this|that|these|those|of|in|on|at|to|for|by|with|as|and|also|it|its|we|"
            "our|us|they|their|them|please|should|must|shall|will|would|can|could|always|all|"
            "every time|just|really|very|so|then|there|directly|straight|already|"
            "any|who|which|where|into|onto|per|do|does|did|be|been|"
            "being|have to|need to|located|situated|o'clock|whose|about|user wants you to|i want you to|"
            "would like you to"
        ),
    },
    "copula": {
        "_": (
            "use|used|using|decide|decided|decision|agree|agreed|choose|chose|chosen|go with|pick|"
            "picked|make sure|is|are|was|were|has been|have been|am|become|became|get|got|"
            "take place|takes place|is held|are held"
        ),
    },
    "verb": {
        "=": "play|eat|drink|check|deploy|depend|report|sleep|allow|end|train|notify",
        "have": "have|has|own",
        "run": "run|runs on",
        "listen": "listen|reachable",
        "write": "write|written",
        "store": ("store|keep|kept|save|saved|written to|write to|writes to|is written to|are written to"),
        "start": "start|begin|starts at",
        "tak": "take|takes",
        "requir": "require|need",
        "smok": "smoke|smoking",
        "go": "go|goes",
        "retry": "retry|retries",
        "manag": "manage",
        "mov": "move",
        "handl": "handle",
        "liv for": "live for|last",
        "commut": "commute",
        "reply": "respond",
        "wake": "wake|wake up",
        "tolerat": "tolerate",
        "@like": "prefer|want|would rather have",
        "indent": "indent|indentation",
        "expir": "expire|expires|time out|times out",
        "car": "drive|drives",
    },
    "trait_verb": {
        "@home": (
            "live in|reside in|live at|move to|moved to|relocated to|settled in|have moved to|"
            "home is in|home is|relocate to|be based in|is based in|settle in|live near"
        ),
        "@job": (
            "work for|work at|be employed by|is employed by|join|joined|have joined|"
            "moved over to|be employed at|is employed at|start at|got a job at"
        ),
        "@role": "work as|is employed as",
        "@name": (
            "call|called|is called|name|named|is named|be called|be named|known as|is known as|"
            "wants to be called|want to be called|asked to be called|prefers to be called|goes by"
        ),
        "@name~become": (
            "renamed|renamed to|is renamed|was renamed|been renamed|was renamed to|is renamed to|"
            "been renamed to|rebranded as"
        ),
        "@cost": "cost|is priced at",
        "@weigh": "weigh",
        "@due": "is due|be due|is due on",
        "@born": "is born|was born|be born|birthday|birthplace|birthday is|was born in|was born on",
        "@built": "is built with|is written in",
    },
    "trait": {
        "=": (
            "port|version|release|address|phone|number|email|price|fee|budget|salary|rent|"
            "deadline|age|height|weight|title|editor|language|timezone|model|branch|"
            "database|framework|limit|timeout|hostname|url|password|username|theme|font|default|"
            "current|preferred|primary|main|status|capacity|interval|frequency|size|host|domain|"
            "location|seat|provider|region|"
            "temperature|locale|nickname|level|mode|format|encoding|resolution|quota|threshold"
        ),
        "favourit": "favourite|favorite",
        "native language": "native language|mother tongue|first language",
        "colour": "colour|color",
        "queue": "message queue|message broker",
        "licens": "licence|license|is licensed under",
        "old": "years old|year old|year-old",
    },
    "trait_person": {
        "=": "lead|owner|head|chief|supervisor|boss|maintainer|assignee|manager|dentist|landlord|mentor",
        "wif": "wife|husband|spouse",
    },
    "many": {
        "=": "speak|buy|add",
        "know": "know|be good at",
        "learn": "learn|is learning|study",
        "allerg": "allergic|is allergic|allergy",
        "visit": "visit|have been to|has been to",
        "contain": "contain|include|support",
        "contain-~leave": "dropped support for|ended support for|stopped supporting|discontinued support for",
    },
    "event": {
        "=": (
            "bought|went|had|ran|lent|saw|took|gave|wrote|flew|broke|drove|ate|drank|swam|spent|made|"
            "sold|brought|bit|found|forgot|held|heard|lost|taught|caught|drew|fell|felt|grew|rode|"
            "rang|rose|sang|shook|shot|slept|spoke|stole|threw|woke|wore|won|built|began|came|"
            "fought|sent|sat|stood|swept|dug|hung|hid|fed|blew|sank|tore|froze|beat|taken|given|"
            "stolen|thrown|eaten|drawn|torn|frozen|bitten|forgotten"
        ),
        "meet": "met",
        "pay": "paid",
        "fail": "failed",
        "finish": "finished",
        "said": "said|told",
        "fix": "fixed",
        "event": "yesterday|today|last week|last month|last year|this morning|tonight|this week|ago",
    },
    "attitude": {
        "=": "public",
        "@like": "like|love|enjoy|adore|is fond of|is keen on",
        "@like-": "hate|dislike|detest|loathe|can't stand|cannot stand",
        "@on": "enabled|enable|turned on|switched on|activated|active",
        "@on-": "disabled|disable|turned off|switched off|deactivated|inactive",
        "@allow": "allowed|permitted|is allowed",
        "@allow-": "forbidden|prohibited|banned|is forbidden",
        "@work": "working|healthy",
        "@work-": "broken",
        "@lock": "locked|is locked",
        "@lock-": "unlocked|is unlocked",
        "@open": "opened|is open",
        "@open-": "closed|is closed|shut",
        "@planned": "planned|confirmed",
        "@planned-": "cancelled|canceled|called off",
        "requir": "required|mandatory|is required",
        "requir-": "optional|is optional",
        "public-": "private",
        "tolerat-": "intolerant",
    },
    "negation": {
        "not": (
            "not|never|no|cannot|can't|don't|doesn't|isn't|aren't|won't|without|didn't|wasn't|"
            "mustn't|shouldn't|avoid|refuse|neither|hasn't|haven't"
        ),
    },
    "ceased": {
        "now": (
            "no longer|gave up|has stopped|have stopped|stopped|quit smoking|is discontinued|"
            "was discontinued|been discontinued|was ended"
        ),
    },
    "contrast": {
        "over": "over|rather than|instead of",
    },
    "change": {
        "now": (
            "now|anymore|any more|from now on|currently|nowadays|as of now|has changed|recently|"
            "these days|at present"
        ),
        "become": (
            "changed to|change to|switch to|switched to|migrate to|migrated to|"
            "raised to|lowered to|increased to|reduced to|decreased to|extended to|shortened to|"
            "postponed to|postponed until|rescheduled to|rescheduled for|brought forward to|pushed to|"
            "pushed back to|upgraded to|updated to|set to|went up to|went down to|rose to|"
            "fell to|grew to|dropped to"
        ),
        "ousted": "replaced by|was replaced by|has been replaced by|superseded by|was superseded by",
        "changed": "change|changed",
        "from": (
            "replaced|swapped out|switch from|switched from|migrate from|migrated from|moved from|"
            "change from|changed from|instead of the old|raised from|lowered from|increased from|"
            "reduced from|decreased from|extended from|shortened from|postponed from|upgraded from|"
            "updated from|renamed from|"
            "rose from|fell from|grew from|dropped from|went from|went up from|went down from|took over from|"
            "takes over from|has taken over from"
        ),
        "leave": (
            "left|has left|have left|quit|left her job at|quit her job at|left his job at|quit his job at|"
            "left my job at|quit my job at|resigned from|stepped down|"
            "retired from|has retired from|quit her job|quit his job"
        ),
        "former": "used to|formerly|previously|used to be",
    },
    "condition": {
        "=": "if|when|unless|except|only|until|whenever",
    },
    "hedge": {
        "=": ("might|maybe|perhaps|plan to|hope to|intend to|former|ex|probably|consider|want to|wish"),
    },
    "scope": {
        "=": "morning|winter|summer|spring|autumn|backend|frontend",
        "prod": "prod|production|live environment",
        "stag": "staging",
        "test env": "test environment|qa environment",
        "dev": "dev|development|development environment",
        "free": "free plan|free tier",
        "weekday": "weekday|on weekdays",
        "weekend": "weekend|on weekends",
        "evening": "evening|night",
    },
    "relation": {
        "=": (
            "before|after|or|during|while|since|behind|near|under|above|beside|between|via|through|"
            "against|from|inside|outside|towards"
        ),
        "every": "every|each",
    },
    "person": {
        "user": "i|me|my|mine|user",
        "you": "you|your|yours",
        "he": "he|his|him",
        "she": "she|her|hers",
    },
    "unit": {
        "=": "kb|tb",
        "s": "second|sec|seconds|s",
        "ms": "millisecond|ms",
        "min": "minute|min",
        "h": "hour|hr",
        "day": "day|daily|every day",
        "week": "week|weekly|every week",
        "month": "month|monthly|every month",
        "quarter": "quarter|quarterly",
        "year": "year|yearly",
        "mb": "mb|megabyte",
        "gb": "gb|gigabyte",
        "kg": "kg|kilo",
        "km": "km|kilometre|kilometer",
        "euro": "euro|eur",
        "dollar": "dollar|usd",
        "pound": "pound",
        "%": "percent",
    },
    "noun": {
        "daily": "nightly|every night",
        "child": "child|kid",
        "@more": "especially|particularly|even|in particular",
        "meeting": "meeting|meetings|meet|meets",
        "note": "note|notes|noted",
        "log": "log|logs|log file|log files|logfile",
        "car": "car|automobile",
        "brief": "short|concise|brief|terse",
        "answer": "answer|reply|replies|response",
        "film": "film|movie",
        "cache": "cache|caching|cache entry|cache entries",
        "pref": "preference",
        "repo": "repo|repository|repositories",
        "config": "config|configuration",
        "dir": "directory|directories|folder|dir",
        "doc": "docs|documentation",
        "app": "app|application",
        "flat": "flat|apartment",
        "colleague": "colleague|coworker|workmate",
        "big": "big|large",
        "fast": "fast|quick",
        "mum": "mum|mom|mother",
        "dad": "dad|father",
        "holiday": "holiday|vacation",
        "bike": "bike|bicycle",
        "parcel": "parcel|package",
        "doctor": "doctor|physician",
    },
    "colour": {
        "=": "red|blue|green|yellow|black|white|cyan|orange|pink|brown|teal|magenta|silver",
        "purple": "purple|violet",
        "grey": "grey|gray",
        "gold": "golden",
    },
    "status": {
        "marital:single": "single",
        "marital:married": "married",
        "marital:engaged": "engaged",
        "marital:divorced": "divorced",
        "marital:widowed": "widowed",
        "diet:vegan": "vegan",
        "diet:vegetarian": "vegetarian",
        "diet:omnivore": "omnivore",
        "progress:open": "pending",
        "progress:done": "done|finished now",
        "progress:blocked": "blocked",
    },
}
