"""What kith changes in the lists of stopwords-iso, by our name of the language."""

# Topics, which stay in bags. What the English list of kith keeps is kept in other languages, too:
# people, places, work, money, law, nature. Words of time, order and quantity are left out, as in
# English.
TOPICS = {
    "arabic": "أب أخ اطار برس جلل حار حم زيارة شخصا طاق علق عين قوة كرب لقاء للامم لوكالة",
    "bengali": "উত্তর কাজ কাজে ধামার বক্তব্য ব্যবহার লক্ষ",
    "bulgarian": "автентичен евтин екип живот мек новина син юмрук",
    "catalan": "mode mons sons sou tons veu",
    "czech": "design děkovat téma tema zprávy zpravy",
    "danish": "mand",
    "dutch": "lijken",
    "french":
        "bat bas chiche droite etat état force gens mince mine mot naturel naturelle naturelles "
        "parole pièce pur pure relative relativement sein sujet tente valeur vif vifs vive "
        "vives",
    "german":
        "dasein ernst gott leide mahn mann mensch menschen mittel ordnung recht rechte rechten "
        "rechter rechtes rund",
    "hebrew": "עז",
    "hindi": "घर वरग वर्ग",
    "hungarian": "búcsú",
    "indonesian": "bapak ibu kasus",
    "italian":
        "città citta comprare consiglio forza generale gruppo mondo nome osi paese persone "
        "piedi presa press registrazione scola titolo uomo vita",
    "korean": "게우다 구토하다 아이 타다 토하다",
    "marathi": "पाटील माहिती मुबी निर्ण्य",
    "norwegian": "arbeid folk makt navn tilstand verdi",
    "persian": "آباد امور جناح خدمات گروهي مردم",
    "polish": "kierunku",
    "portuguese":
        "apoio área caminho conselho corrente estado grupo ligado nome noite obra pessoas povo "
        "sistema trabalhar trabalho valor viagem",
    "romanian": "frumos halbă",
    "russian":
        "белый взгляд вид вода война вопрос глаз голова голос город давать деньги дверь дом "
        "дорога друг душа жена женщина жизнь земля книга комната лежать лицо любить люди мать "
        "машина меля мир мира москва народ нога ночь окно отец ответить писать плечо пол правда "
        "путь работа работать ребенок россия рука русский свет сидеть сила слово смотреть "
        "советский стол сторона страна суть товарищ улица утро человек",
    "slovene": "gospa",
    "somali": "albaabkii",
    "spanish":
        "acuerdo pais paìs sal trabaja trabajais trabajamos trabajan trabajar trabajas trabajo "
        "valor verdad",
    "swahili": "sauti watu",
    "swedish": "beslut",
    "vietnamese": "cây cha nhà",
}

# Pronouns, auxiliary verbs, conjunctions and prepositions that the lists lack, read among the most
# frequent words of what they leave of translations. Japanese and Chinese are as ICU cuts them.
MISSED = {
    "bulgarian":
        "каквото каквато каквито неговата неговите неговото нейната нейните своя своята своите "
        "своето свои някоя някое някои всяко всеки която които което чиито чийто между чрез "
        "дали нито като",
    "chinese": "里 裏 裡 已经 不能 不会 没 没有 这种 他的 她的 我的 应 应该 也是 都是 这是 第",
    "croatian":
        "ima imaju imao mora moraju može mogu svatko nitko tko svoju svoje svojim svojih protiv "
        "bez radi među pred prema ovoj ovom ovaj ova ove ovi ovih kojem kojeg kojih kojoj sva "
        "svaki svaka svako svakog njegove njegovih isto isti ista drugi druga drugo drugim "
        "drugih budući također zbog ako iako gdje kad kada samo više manje sada onda zatim",
    "czech":
        "nesmí nikdo svou svém všechny všech všem všemi jakéhokoli jiných jinými jiného někteří "
        "některé některých některá každého každou každé každá kterým kterými kterého kterému "
        "kterých kterém budiž zejména jejichž jehož jemuž nimiž",
    "danish": "uden gennem samt sådan sådanne således hvorved hvoraf blandt mellem dog især",
    "dutch":
        "hetzij iemand elkaar dergelijk dergelijke teneinde alsmede middels hierbij ervan erin",
    "finnish":
        "jokaisella jokaiselle jokaisen jokaista jokaisesta kaikilla kaikissa kaikista kaikkien "
        "sellainen sellaisen sellaiset sellaisia sellaista sekä taikka",
    "french":
        "déjà jamais presque pouvez pouvons pouvoir pouvaient puisse puissent devez devons "
        "devoir",
    "german":
        "obwohl falls sodass indem sowohl weder sogar jeweils jeweilige jeweiligen jeweiliger "
        "meist meisten eher hierbei hierzu hierfür mithilfe anhand aufgrund usw bzw",
    "hebrew":
        "זו לכל בכל ללא ובין ולא שהיא שהוא שלא שבו שבה לפי היו יהיו צריך עוד כבר מאוד כדי הזה "
        "הזאת האלה",
    "hungarian": "minden mindenki mindenkinek valamely bármely",
    "italian": "qualsiasi potrà potranno poteva possono potere potrebbero dovrà dovranno dovrebbe",
    "japanese":
        "した すると ま てい っ って せん さい くだ くださ ください まし ましょ でしょ でしょう ませ なか なけれ なければ たら ても べき だけ しか さえ ずつ "
        "まだ もう とても もっと でなければ もしくは または 又は かつ いかなる すべて 並びに け り ほしい にし 次 中 内 上 下 的 化 場合 他の だれ それら "
        "とっ よっ たとえば 例えば",
    "korean":
        "또는 수 있는 있다 있어 있었다 없는 없다 없이 한다 했다 하는 하였다 할 한 된 되는 된다 되었다 것이 것을 것은 것이다 대한 대해 위한 위해 자신의 "
        "그의 그는 이는 모든 많은 가장 여러 같은 않는 않은 못한 통해 더 이다 였다 아니한다 아니된다",
    "norwegian": "uten gjennom samt enhver slik slike således blant mellom også",
    "persian":
        "میشود میشوند میکند میکنند میتوان میتواند میتوانند نمیشود نمیکند نمیتوان نمیتواند "
        "میباشد میباشند میدهد نماید نمایند بعنوان بوسیله",
    "polish":
        "należy następnie niektórzy niektóre niektórych swych swej swą swój swoją swoim swoich "
        "innymi innego innej jakiekolwiek poprzez przeciw wobec względu zarówno zostać zostanie "
        "zostaną został została zostało zostały mógł może możesz możemy chcesz którą której "
        "którymi którzy każdego każdej każda każde nikogo nikomu nikt wszystkimi wszelkie "
        "wszelkich żadnego żadnej tych tymi takiego takiej",
    "portuguese": "ninguém algum alguma algumas porém sobretudo igualmente outrem",
    "russian":
        "либо любой любая любое любого любые любых является являются своя свою своим своими "
        "какого каких какие какое некоторых некоторые некоторое этой эту этот эти кого чего",
    "slovak": "nesmie nikto ktorom svoju svojom proti hociakého všetkých všetkým každej každému",
    "slovene":
        "ima imajo sme nihče ter glede katerem kateri katera katere katerih svojih svojo svojim "
        "svoje svoj vseh vsem bodisi tem teh tega temu ampak zato ker",
    "spanish": "hacía hacían cualquiera cualesquiera debía debían deberá deberán podía podían",
    "swedish": "samt enär äro varje sådan sådana sådant dessutom ej",
    "thai":
        "ใด ๆ อัน ตน อื่น ผู้ บรรดา ตนเอง ท่าน ฉัน ผม คุณ มัน เธอ พวก นี่ นั่น ไหน ใคร เท่า "
        "เสมอ จำ ทำ",
    "ukrainian":
        "або має мають мав мала кожна кожен кожний кожного може можуть могли при його якщо "
        "своїх своєї свою свій своя своє свої своїм своїми які яка яке якому яким яких якого "
        "того тому хто ніхто щоб коли там тут ще вже лише тільки дуже можна треба потрібно "
        "цього цьому цієї цей ця той між через після перед над під серед щодо тоді сам сама "
        "саме самий нас вас ним ній ними мене тебе собі себе мені тобі йому були буде будуть "
        "немає будь усі усе всі всього всім всіма весь вся один одна одне одного більше менше "
        "багато кілька далеко інші інший іншого інших",
    "vietnamese": "chúng mọi đối hiện cách những",
}
