"""What the pages of bench/audit_pages.py say: two wordings of each kind in each language.

WORDS[kind][language] has for each half of the hosts a title, a heading and a text. {url}, {host},
{path}, {id}, {time} and {word} are replaced.
"""

LANGUAGES = ("en", "de", "fr", "es", "ja", "ru")

# Words of which sentences of content are made; each language has its own.
CONTENT = {
    "en": "river mountain village bread winter garden stone letter music horse window engine copper "
          "harbour island merchant forest bridge teacher cloud glass pepper candle market captain silver "
          "travelled painted measured carried opened found built sold planted wrote crossed repaired "
          "old green narrow heavy quiet bright northern wooden early small careful the a of in with and "
          "under near before after their every many between during",
    "de": "Fluss Berg Dorf Brot Winter Garten Stein Brief Musik Pferd Fenster Motor Kupfer Hafen Insel "
          "Händler Wald Brücke Lehrer Wolke Glas Pfeffer Kerze Markt Kapitän Silber reiste malte maß trug "
          "öffnete fand baute verkaufte pflanzte schrieb überquerte alt grün schmal schwer still hell "
          "nördlich hölzern früh klein sorgfältig der die das von in mit und unter bei vor nach viele "
          "zwischen während",
    "fr": "rivière montagne village pain hiver jardin pierre lettre musique cheval fenêtre moteur cuivre "
          "port île marchand forêt pont maître nuage verre poivre bougie marché capitaine argent voyageait "
          "peignait mesurait portait ouvrait trouvait construisait vendait plantait écrivait ancien vert "
          "étroit lourd calme clair petit le la les de dans avec et sous près avant après chaque plusieurs "
          "entre pendant",
    "es": "río montaña pueblo pan invierno jardín piedra carta música caballo ventana motor cobre puerto "
          "isla mercader bosque puente maestro nube vidrio pimienta vela mercado capitán plata viajaba "
          "pintaba medía llevaba abría construía vendía plantaba escribía cruzaba antiguo verde estrecho "
          "pesado tranquilo claro pequeño el la los de en con y bajo cerca antes después cada muchos entre "
          "durante",
    "ja": "川 山 村 パン 冬 庭 石 手紙 音楽 馬 窓 機械 銅 港 島 商人 森 橋 先生 雲 硝子 胡椒 蝋燭 市場 船長 銀 "
          "旅した 描いた 測った 運んだ 開けた 建てた 売った 植えた 書いた 渡った 古い 緑の 狭い 重い 静かな 明るい "
          "小さな は が を に と の で から まで 毎日 多くの 間に",
    "ru": "река гора деревня хлеб зима сад камень письмо музыка лошадь окно двигатель медь гавань остров "
          "купец лес мост учитель облако стекло перец свеча рынок капитан серебро путешествовал рисовал "
          "измерял нёс открывал строил продавал сажал писал пересекал старый зелёный узкий тяжёлый тихий "
          "светлый маленький в на с и под около перед после каждый многие между",
}

MENU = {
    "en": ["Home", "News", "Shop", "About us", "Contact", "Login", "Archive", "Jobs"],
    "de": ["Start", "Aktuelles", "Laden", "Über uns", "Kontakt", "Anmelden", "Archiv", "Stellen"],
    "fr": ["Accueil", "Actualités", "Boutique", "À propos", "Contact", "Connexion", "Archives", "Emplois"],
    "es": ["Inicio", "Noticias", "Tienda", "Quiénes somos", "Contacto", "Acceder", "Archivo", "Empleo"],
    "ja": ["ホーム", "ニュース", "ショップ", "会社概要", "お問い合わせ", "ログイン", "アーカイブ", "採用"],
    "ru": ["Главная", "Новости", "Магазин", "О нас", "Контакты", "Войти", "Архив", "Вакансии"],
}

WORDS = {
    "soft_404": {
        "en": [("Page not found", "404", "Sorry, the page you are looking for does not exist."),
               ("We couldn't find that", "Lost?", "There is nothing at this address any more. Try the search "
                "box, or go back to where you came from.")],
        "de": [("Seite nicht gefunden", "Fehler 404", "Die angeforderte Seite existiert leider nicht."),
               ("Nichts da", "Hier ist leider nichts", "Unter dieser Adresse haben wir keinen Inhalt. "
                "Vielleicht hilft Ihnen die Suche weiter.")],
        "fr": [("Page introuvable", "Erreur 404", "La page que vous recherchez n'existe pas ou plus."),
               ("Oups", "Nous avons perdu cette page", "Le lien que vous avez suivi est peut-être ancien. "
                "Revenez à l'accueil.")],
        "es": [("Página no encontrada", "Error 404", "La página que buscas no existe."),
               ("¡Vaya!", "Aquí no hay nada", "Puede que el enlace sea antiguo o que te hayas equivocado al "
                "escribirlo.")],
        "ja": [("ページが見つかりません", "404", "お探しのページは存在しません。"),
               ("お探しのものはありませんでした", "エラー", "アドレスが変わったか、公開が終わった可能性があります。"
                "トップからお探しください。")],
        "ru": [("Страница не найдена", "Ошибка 404", "Запрошенная страница не существует."),
               ("Здесь ничего нет", "Кажется, вы заблудились", "Возможно, ссылка устарела или в адресе "
                "опечатка. Начните с главной.")],
    },
    "gone_item": {
        "en": [("Item unavailable", "This item is no longer available", "The seller has removed the item."),
               ("Listing ended", "Too late!", "This advert has ended. Have a look at what others offer.")],
        "de": [("Artikel nicht verfügbar", "Artikel nicht mehr verfügbar", "Der Artikel wurde entfernt."),
               ("Anzeige beendet", "Zu spät!", "Diese Anzeige wurde vom Anbieter beendet. Andere Anbieter "
                "freuen sich auf Sie.")],
        "fr": [("Produit indisponible", "Ce produit n'est plus disponible", "Le vendeur a retiré ce produit."),
               ("Annonce terminée", "Trop tard !", "Cette annonce a été désactivée par son auteur.")],
        "es": [("Producto no disponible", "Este producto ya no está disponible", "El vendedor lo ha retirado."),
               ("Anuncio finalizado", "¡Demasiado tarde!", "Este anuncio terminó. Mira otras ofertas.")],
        "ja": [("商品がありません", "この商品は現在ご利用いただけません", "出品者により削除されました。"),
               ("掲載終了", "掲載は終了しました", "ほかの出品をご覧ください。")],
        "ru": [("Товар недоступен", "Товар больше недоступен", "Продавец удалил товар."),
               ("Объявление снято", "Опоздали!", "Объявление снято с публикации. Посмотрите похожие.")],
    },
    "no_results": {
        "en": [("Search", "No results", "No results were found for “{word}”. Try other words."),
               ("Search results", "0 hits", "Your query “{word}” came back empty.")],
        "de": [("Suche", "Keine Ergebnisse", "Für „{word}“ wurden keine Ergebnisse gefunden."),
               ("Suchergebnis", "Leider nein", "Zu „{word}“ haben wir nichts im Angebot.")],
        "fr": [("Recherche", "Aucun résultat", "Aucun résultat pour « {word} »."),
               ("Résultats", "Rien", "Votre recherche « {word} » n'a rien donné.")],
        "es": [("Buscar", "Sin resultados", "No hay resultados para «{word}»."),
               ("Resultados", "Nada por aquí", "Tu búsqueda «{word}» no devolvió nada.")],
        "ja": [("検索", "検索結果", "「{word}」に一致する結果はありませんでした。"),
               ("検索結果", "0件", "「{word}」の情報はまだありません。")],
        "ru": [("Поиск", "Ничего не найдено", "По запросу «{word}» ничего не найдено."),
               ("Результаты поиска", "Пусто", "Мы искали «{word}», но безуспешно.")],
    },
    "server_error": {
        "en": [("Internal Server Error", "Something went wrong", "An unexpected error occurred. Please try "
                "again later. Request {id}, {time}"),
               ("We'll be right back", "Down for a short while", "Our engineers are working on it. "
                "Reference {id}.")],
        "de": [("Interner Serverfehler", "Es ist ein Fehler aufgetreten", "Bitte versuchen Sie es später noch "
                "einmal. Anfrage {id}, {time}"),
               ("Gleich zurück", "Wartungsarbeiten", "Wir bauen gerade um und sind bald wieder für Sie da. "
                "Kennung {id}.")],
        "fr": [("Erreur interne du serveur", "Une erreur est survenue", "Veuillez réessayer plus tard. "
                "Requête {id}, {time}"),
               ("De retour bientôt", "Site en maintenance", "Nos équipes font le nécessaire. Code {id}.")],
        "es": [("Error interno del servidor", "Se ha producido un error", "Inténtelo de nuevo más tarde. "
                "Solicitud {id}, {time}"),
               ("Volvemos enseguida", "Estamos de obras", "Sitio en mantenimiento. Código {id}.")],
        "ja": [("サーバーエラー", "エラーが発生しました", "しばらくしてからもう一度お試しください。 {id} {time}"),
               ("メンテナンス中", "ただいまメンテナンス中です", "ご不便をおかけします。 {id}")],
        "ru": [("Внутренняя ошибка сервера", "Произошла ошибка", "Попробуйте позже. Запрос {id}, {time}"),
               ("Скоро вернёмся", "Технические работы", "Мы обновляем сайт. Код {id}.")],
    },
    "login_wall": {
        "en": [("Log in", "Log in to continue", "You must be logged in to view this page."),
               ("Welcome back", "Members' area", "Enter your details. New here? Ask your librarian.")],
        "de": [("Anmelden", "Bitte melden Sie sich an", "Sie müssen angemeldet sein, um diese Seite zu sehen."),
               ("Willkommen zurück", "Mitgliederbereich", "Geben Sie Ihre Daten ein. Noch kein Konto? Fragen "
                "Sie uns.")],
        "fr": [("Connexion", "Connectez-vous", "Vous devez être connecté pour voir cette page."),
               ("Bon retour", "Espace adhérents", "Saisissez vos identifiants. Pas encore inscrit ?")],
        "es": [("Iniciar sesión", "Inicia sesión para continuar", "Debes iniciar sesión para ver esta página."),
               ("Bienvenido de nuevo", "Zona de socios", "Introduce tus datos. ¿Aún no tienes cuenta?")],
        "ja": [("ログイン", "ログインしてください", "このページを見るにはログインが必要です。"),
               ("おかえりなさい", "会員ページ", "IDと暗証番号を入れてください。")],
        "ru": [("Вход", "Войдите на сайт", "Чтобы просмотреть страницу, необходимо войти."),
               ("С возвращением", "Личный кабинет", "Введите данные. Ещё нет учётной записи?")],
    },
    "sso_wall": {
        "en": [("Sign in", "Sign in required", "Please sign in with your organisation's account to continue."),
               ("Subscribers only", "Keep reading", "This story is for subscribers. Already one? Sign in.")],
        "de": [("Anmeldung", "Anmeldung erforderlich", "Bitte melden Sie sich mit Ihrem Konto an."),
               ("Nur für Abonnenten", "Weiterlesen mit Abo", "Dieser Text ist unseren Abonnenten vorbehalten. "
                "Schon dabei? Einloggen.")],
        "fr": [("Identification", "Identification requise", "Veuillez vous identifier avec votre compte."),
               ("Réservé aux abonnés", "La suite est réservée", "Cet article est réservé à nos abonnés. Déjà "
                "abonné ? Connectez-vous.")],
        "es": [("Acceso", "Acceso restringido", "Por favor, accede con tu cuenta de la organización."),
               ("Solo suscriptores", "Sigue leyendo", "Este contenido es exclusivo para suscriptores. ¿Ya lo "
                "eres? Entra.")],
        "ja": [("サインイン", "サインインが必要です", "組織のアカウントでサインインしてください。"),
               ("会員限定記事", "続きは会員の方のみ", "この先は有料会員になるとご覧いただけます。")],
        "ru": [("Авторизация", "Требуется авторизация", "Пожалуйста, войдите с учётной записью организации."),
               ("Только для подписчиков", "Читать дальше", "Материал доступен подписчикам. Уже с нами? "
                "Войдите.")],
    },
    "cookie_wall": {
        "en": [("Your privacy", "We value your privacy", "We and our partners use cookies. Accept all cookies "
                "to continue to the site, or manage your preferences."),
               ("Before you go on", "Cookies", "To show you this site we store small files on your device. "
                "Do you agree? Yes. No. More choices.")],
        "de": [("Datenschutz", "Ihre Privatsphäre", "Wir und unsere Partner verwenden Cookies. Stimmen Sie zu, "
                "um fortzufahren, oder öffnen Sie die Einstellungen."),
               ("Bevor es weitergeht", "Cookies", "Mit Werbung kostenlos lesen: Einverstanden? Oder das "
                "Pur-Abo abschließen.")],
        "fr": [("Vie privée", "Votre vie privée", "Nos partenaires et nous utilisons des cookies. Acceptez "
                "pour continuer ou paramétrez vos choix."),
               ("Avant de continuer", "Des cookies ?", "Continuer sans accepter, ou tout accepter : à vous de "
                "choisir.")],
        "es": [("Privacidad", "Tu privacidad", "Nosotros y nuestros socios usamos cookies. Acepta para "
                "continuar o configura tus preferencias."),
               ("Antes de seguir", "Cookies", "Aceptar y continuar gratis, o rechazar y suscribirse.")],
        "ja": [("プライバシー", "クッキーについて", "当サイトはクッキーを使用します。続けるには同意してください。"),
               ("続ける前に", "Cookieの設定", "すべて許可、または必要なものだけを選べます。")],
        "ru": [("Конфиденциальность", "Файлы cookie", "Мы используем файлы cookie. Чтобы продолжить, примите "
                "их или откройте настройки."),
               ("Прежде чем продолжить", "Куки", "Согласны? Да, принимаю все. Нет, только нужные.")],
    },
    "age_wall": {
        "en": [("Age check", "Are you over 18?", "You must be 18 or older to enter. Enter. Leave."),
               ("Hold on", "Year of birth", "Our wines are for adults only. Please confirm your age.")],
        "de": [("Altersprüfung", "Sind Sie über 18?", "Der Zutritt ist ab 18 Jahren. Eintreten. Verlassen."),
               ("Moment", "Volljährig?", "Bitte bestätigen Sie Ihr Alter.")],
        "fr": [("Vérification", "Avez-vous plus de 18 ans ?", "Vous devez être majeur. Entrer. Quitter."),
               ("Un instant", "Votre âge", "Merci de confirmer votre date de naissance.")],
        "es": [("Verificación de edad", "¿Eres mayor de edad?", "Debes tener 18 años. Entrar. Salir."),
               ("Un segundo", "Tu edad", "Confirma tu fecha de nacimiento.")],
        "ja": [("年齢確認", "あなたは18歳以上ですか", "はい。いいえ。"),
               ("確認", "年齢確認のお願い", "お酒は二十歳になってから。生年月日を選択してください。")],
        "ru": [("Проверка возраста", "Вам есть 18 лет?", "Сайт для совершеннолетних. Войти. Покинуть."),
               ("Секунду", "Ваш возраст", "Подтвердите дату рождения.")],
    },
    "bot_check": {
        "en": [("Just a moment...", "Checking your browser", "Checking your browser before accessing {host}. "
                "This takes a few seconds. Ray ID {id}"),
               ("One more step", "Prove you are a person", "Our systems have seen odd requests from where you "
                "are. Tick the box to go on. {id}")],
        "de": [("Einen Moment", "Ihr Browser wird überprüft", "Wir überprüfen Ihren Browser, bevor Sie {host} "
                "besuchen. {id}"),
               ("Noch ein Schritt", "Sind Sie ein Mensch?", "Lösen Sie das Rätsel, um weiterzugehen. {id}")],
        "fr": [("Un instant…", "Vérification de votre navigateur", "Nous vérifions votre navigateur avant "
                "l'accès à {host}. {id}"),
               ("Encore une étape", "Êtes-vous humain ?", "Cochez la case pour poursuivre. {id}")],
        "es": [("Un momento…", "Comprobando su navegador", "Comprobando su navegador antes de acceder a {host}. "
                "{id}"),
               ("Un paso más", "¿Eres una persona?", "Marca la casilla para seguir. {id}")],
        "ja": [("少々お待ちください", "ブラウザを確認しています", "{host} にアクセスする前にブラウザを確認しています。 {id}"),
               ("もう一歩です", "あなたは人間ですか", "四角に印を付けて先へお進みください。 {id}")],
        "ru": [("Минуточку", "Проверка браузера", "Проверяем ваш браузер перед переходом на {host}. {id}"),
               ("Ещё один шаг", "Вы человек?", "Отметьте квадрат, чтобы продолжить. {id}")],
    },
    "denied": {
        "en": [("Access denied", "Access denied", "You don't have permission to access this page. Reference "
                "{id}"),
               ("Blocked", "Sorry, not today", "This request was stopped by our firewall. Incident {id}")],
        "de": [("Zugriff verweigert", "Zugriff verweigert", "Sie haben keine Berechtigung. Kennung {id}"),
               ("Gesperrt", "Ihre Anfrage wurde abgelehnt", "Unsere Firewall hat sie gestoppt. Vorfall {id}")],
        "fr": [("Accès refusé", "Accès refusé", "Vous n'avez pas l'autorisation. Référence {id}"),
               ("Bloqué", "Désolé, pas aujourd'hui", "Votre requête a été arrêtée par notre pare-feu. {id}")],
        "es": [("Acceso denegado", "Acceso denegado", "No tiene permiso para ver esta página. Referencia {id}"),
               ("Bloqueado", "Lo sentimos", "Su petición fue detenida por el cortafuegos. Incidente {id}")],
        "ja": [("アクセス拒否", "アクセスが拒否されました", "このページを表示する権限がありません。 {id}"),
               ("ブロック", "申し訳ありません", "リクエストは遮断されました。 {id}")],
        "ru": [("Доступ запрещён", "Доступ запрещён", "У вас нет прав для просмотра. Код {id}"),
               ("Заблокировано", "Извините", "Запрос остановлен защитой сайта. Инцидент {id}")],
    },
    "parked": {
        "en": [("{host} is for sale", "{host}", "This domain is for sale. Buy this domain. Related searches"),
               ("{host}", "Interested in {host}?", "Its owner takes offers. Fill in the form and a broker will "
                "call you.")],
        "de": [("{host} steht zum Verkauf", "{host}", "Diese Domain steht zum Verkauf. Jetzt kaufen."),
               ("{host}", "{host} gehört bald Ihnen?", "Der Inhaber nimmt Gebote entgegen.")],
        "fr": [("{host} est à vendre", "{host}", "Ce nom de domaine est à vendre. Achetez ce domaine."),
               ("{host}", "{host} vous intéresse ?", "Son propriétaire attend votre proposition.")],
        "es": [("{host} está en venta", "{host}", "Este dominio está en venta. Comprar este dominio."),
               ("{host}", "¿Te interesa {host}?", "Su propietario escucha propuestas.")],
        "ja": [("{host} は販売中", "{host}", "このドメインは販売中です。今すぐ購入。"),
               ("{host}", "{host} をお探しですか", "所有者が譲渡先を募集しています。")],
        "ru": [("{host} продаётся", "{host}", "Этот домен продаётся. Купить домен."),
               ("{host}", "Нужен {host}?", "Владелец рассмотрит ваше предложение.")],
    },
    "placeholder": {
        "en": [("Coming soon", "Under construction", "Our new website is coming soon."),
               ("Welcome to your new server", "It is alive!", "If you can read this the web server has been "
                "installed. Put your own files in its folder to replace this text.")],
        "de": [("Im Aufbau", "Hier entsteht eine neue Webseite", "Unsere Seite ist demnächst verfügbar."),
               ("Neuer Server", "Es läuft!", "Wenn Sie das lesen, wurde der Webserver eingerichtet. Legen Sie "
                "Ihre Dateien ab.")],
        "fr": [("En construction", "Bientôt disponible", "Notre nouveau site arrive bientôt."),
               ("Nouveau serveur", "Ça marche !", "Si vous lisez ceci, le serveur web est installé. Déposez "
                "vos fichiers.")],
        "es": [("En construcción", "Próximamente", "Nuestro nuevo sitio estará pronto disponible."),
               ("Servidor nuevo", "¡Funciona!", "Si lees esto, el servidor web está instalado. Sube tus "
                "archivos.")],
        "ja": [("準備中", "工事中", "新しいサイトは近日公開です。"),
               ("新しいサーバー", "動いています", "これが見えていれば、サーバーの設置は完了しています。ファイルを置いてください。")],
        "ru": [("В разработке", "Скоро открытие", "Наш новый сайт скоро откроется."),
               ("Новый сервер", "Работает!", "Если вы это читаете, веб-сервер установлен. Загрузите свои "
                "файлы.")],
    },
    "empty_app": {
        "en": [("{host}", "", "You need to enable JavaScript to run this app."),
               ("{host}", "", "Our shop runs in modern browsers with scripts switched on.")],
        "de": [("{host}", "", "Bitte aktivieren Sie JavaScript, um diese Anwendung zu nutzen."),
               ("{host}", "", "Ohne Skripte bleibt dieses Fenster leer.")],
        "fr": [("{host}", "", "Vous devez activer JavaScript pour utiliser cette application."),
               ("{host}", "", "Sans scripts, cette fenêtre reste vide.")],
        "es": [("{host}", "", "Debes habilitar JavaScript para usar esta aplicación."),
               ("{host}", "", "Sin guiones activos esta ventana queda vacía.")],
        "ja": [("{host}", "", "このアプリを使うにはJavaScriptを有効にしてください。"),
               ("{host}", "", "スクリプトが動かないと何も表示されません。")],
        "ru": [("{host}", "", "Для работы приложения включите JavaScript."),
               ("{host}", "", "Без сценариев это окно останется пустым.")],
    },
    "redirect": {
        "en": [("Redirecting", "", "Redirecting to {url}. Click here if nothing happens."),
               ("Moved", "", "This document now lives elsewhere. Follow the link.")],
        "de": [("Weiterleitung", "", "Sie werden weitergeleitet zu {url}."),
               ("Umgezogen", "", "Dieses Dokument hat eine neue Adresse.")],
        "fr": [("Redirection", "", "Redirection vers {url}."), ("Déplacé", "", "Suivez le lien.")],
        "es": [("Redirigiendo", "", "Redirigiendo a {url}."), ("Trasladado", "", "Sigue el enlace.")],
        "ja": [("移動", "", "自動的に移動します。"), ("お知らせ", "", "こちらへどうぞ。")],
        "ru": [("Перенаправление", "", "Вы будете перенаправлены."), ("Переехали", "", "Пройдите по ссылке.")],
    },
    "no_events": {
        "en": [("Events", "Calendar", "No events on this day."), ("Agenda", "What's on", "Nothing planned.")],
        "de": [("Termine", "Kalender", "Keine Termine an diesem Tag."), ("Agenda", "Was läuft", "Noch frei.")],
        "fr": [("Agenda", "Calendrier", "Aucun événement ce jour."), ("Sorties", "À faire", "Rien de prévu.")],
        "es": [("Agenda", "Calendario", "No hay eventos este día."), ("Planes", "Qué hacer", "Día libre.")],
        "ja": [("予定", "カレンダー", "この日の予定はありません。"), ("行事", "暦", "空いています。")],
        "ru": [("События", "Календарь", "В этот день событий нет."), ("Афиша", "Куда пойти", "Свободно.")],
    },
}

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "ja": "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
    "ru": "Январь Февраль Март Апрель Май Июнь Июль Август Сентябрь Октябрь Ноябрь Декабрь",
}
DAYS = {
    "en": "Mon Tue Wed Thu Fri Sat Sun", "de": "Mo Di Mi Do Fr Sa So", "fr": "lun mar mer jeu ven sam dim",
    "es": "lun mar mié jue vie sáb dom", "ja": "月 火 水 木 金 土 日", "ru": "Пн Вт Ср Чт Пт Сб Вс",
}
