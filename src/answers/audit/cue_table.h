// The table of cues: words of pages that are no content, by what they mean. It has no sentences:
// a claim needs two parts near each other ("page" and "not found"), so that other wording is found
// as well. A word that ends in * also stands for longer ones. Add what is missing to its line.
#pragma once

#include <cstdint>

namespace kith::answers {

enum Cue : uint32_t {
  cue_thing = 1 << 0,    // what may be missing: a page, a document, an article
  cue_gone = 1 << 1,     // that something is not there
  cue_lost = 1 << 18,    // the same in words that also mean something else
  cue_missing = 1 << 2,  // both at once, or that the server has failed
  cue_nothing = 1 << 3,  // that a list is empty
  cue_member = 1 << 4,   // to log in
  cue_must = 1 << 5,     // that one has to, to go on
  cue_cookie = 1 << 6,   // cookies, tracking
  cue_agree = 1 << 7,    // to accept, to refuse
  cue_adult = 1 << 8,    // that visitors must have an age
  cue_robot = 1 << 9,    // robots, people, browsers
  cue_prove = 1 << 10,   // to check
  cue_denied = 1 << 11,  // both at once, or that the visitor is turned away
  cue_host = 1 << 12,    // a domain, a web site
  cue_sale = 1 << 13,    // that it can be bought, is parked, has expired
  cue_unset = 1 << 14,   // both at once, or that a host has nothing to show yet
  cue_script = 1 << 15,  // JavaScript
  cue_enable = 1 << 16,  // to switch it on, to need it
  cue_moved = 1 << 17,   // that the visitor is sent elsewhere
  cue_error = 1 << 19,   // an error
  cue_failed = 1 << 20,  // that something did not work
};

struct CueRow {
  uint32_t cue;
  const char* words;  // with '|' between them
};

inline constexpr CueRow cue_table[] = {
    // English
    {cue_error, "error|errors"},
    {cue_failed,
     "failed|failure|not be retrieved|not be loaded|not be displayed|not be processed|not be "
     "completed|not be reached|could not connect|timed "
     "out|timeout|invalid|problem|problems|refused|unreachable|malformed|incorrect|unknown|illegal|"
     "unable to|try again|went wrong|did not receive"},
    {cue_denied,
     "permission denied|not allowed to|have permission|no permission|not authorized|not "
     "authorised|permission error|permissions error|not permitted|insufficient "
     "rights|unauthorized|unauthorised|not have access"},
    {cue_thing,
     "page*|document*|file|files|url|address|resource*|content|article*|item|items|product|"
     "products|"
     "entry|listing|post|posting|topic|thread|video|profile|link|what you|site|requested|request|"
     "record|story|offer|job|ad|recipe"},
    {cue_gone,
     "not found|not be found|wasnt found|cannot find|can not find|cant find|could not find|couldnt "
     "find|unable to find|unable to locate|cannot locate|not locate|couldnt locate|not "
     "exist|doesnt exist|didnt exist|no longer exist*|not exists|no longer available|not "
     "available|isnt available|unavailable|no longer here|isnt here|not here|been removed|been "
     "deleted|nowhere to be found|no such|broken link|dead link|doesnt seem to|does not seem to"},
    {cue_lost,
     "been moved|was removed|was deleted|were removed|got lost|is lost|is gone|are gone|has "
     "gone|went missing|gone missing|is missing|has expired|have "
     "expired|vanished|disappeared|nonexistent|has moved|mistyped|out of date|discontinued|taken "
     "down|withdrawn|lost|removed|deleted|expired"},
    {cue_missing,
     "404|410|error 404|404 error|http 404|page not found|file not found|not found error|dead end|"
     "no such page|page missing|missing page|internal server error|server error|"
     "service unavailable|temporarily unavailable|bad gateway|gateway timeout|"
     "error establishing a database connection|database error|under maintenance|down for "
     "maintenance|scheduled maintenance|maintenance mode|maintenance|something went wrong|"
     "unexpected error|error occurred|error has occurred|fatal error|bad request|invalid url|"
     "invalid request|application error|we are lost|you are lost|youre lost|whoops|uh oh"},
    {cue_nothing,
     "no results|0 results|zero results|no result|nothing found|nothing here|nothing matched|"
     "no matches|no match|no matching|no items|no entries|no events|no posts|no products|"
     "no articles|no records|nothing to show|nothing to display|returned no|did not match any|"
     "found nothing|list is empty|is empty|no data|no content|no listings|nothing planned|"
     "nothing scheduled|nothing on this day|no appointments"},
    {cue_member,
     "log in|login|logged in|log on|logon|logging in|sign in|signed in|signing in|sign on|"
     "signin|register|registered|account|members|member|subscribers|subscriber|subscription|"
     "subscribe|password|credentials|authentication|authenticate|authorization|authorized|"
     "single sign|sso|username"},
    {cue_must,
     "must|required|requires|require|need to|needed|please|to continue|to proceed|to view|to see|"
     "to access|to read|only|restricted|before you|in order to|session has expired|"
     "session expired|session timed out|not authorized|enter your|forgot*|remember me|protected|"
     "private|first|welcome back"},
    {cue_cookie,
     "cookie*|tracking|trackers|personal data|gdpr|ccpa|our partners|vendors|"
     "your privacy|similar technologies|personalised ads|personalized ads"},
    {cue_agree,
     "accept*|agree*|consent*|reject*|refuse|decline|allow*|manage preferences|preferences|"
     "settings|options|choices|confirm|enter|leave|exit|enabled|enable|turned off|switched off"},
    {cue_adult,
     "18 years|21 years|over 18|over 21|18 or older|21 or older|legal age|of age|your age|"
     "age verification|verify your age|legal drinking age|adults only|date of birth|born"},
    {cue_robot,
     "robot*|bot|bots|human|humans|person|your browser|real browser|your connection|ddos|"
     "automated|crawler*|scraping|suspicious|unusual|real visitor|real user|real person|"
     "malicious|your network|your ip|characters|visitor|traffic|security of"},
    {cue_prove,
     "check*|verify*|verification|prove|confirm*|are you|are not a|arent a|not a|security|"
     "challenge|validating|analyzing|detected|moment|wait|seconds|protect*|attack*|activity|"
     "solve|type the|enter the|shown|puzzle|tick the|review"},
    {cue_denied,
     "captcha|recaptcha|hcaptcha|access denied|access to this page has been denied|forbidden|"
     "you have been blocked|been blocked|is blocked|request blocked|ray id|incident id|"
     "just a moment|one moment please|attention required|unusual traffic|too many requests|"
     "rate limit*|pardon our interruption|security check|not in your region|not in your country|"
     "your country|your region|ddos protection|bot protection|are you human|are you a robot|"
     "request unsuccessful|support id|reference number|reference id"},
    {cue_host, "domain*|host|hosting|website|web site|site|name|web address|homepage|home page"},
    {cue_sale,
     "for sale|buy|purchase|make an offer|your offer|broker|parked|parking|park|auction*|"
     "expired|has expired|registrar|register|registered|renew*|coming soon|is available|"
     "inquire|lease|acquire|price|owner|sponsored|related searches|related links|interested in|"
     "under construction|suspended|not been configured|not configured|no website|not set up|"
     "being built|launching|launch|opening|placeholder|default|reserved|ready for|newly"},
    {cue_unset,
     "coming soon|under construction|account suspended|account has been suspended|"
     "domain parking|parked domain|this domain is|domain is for sale|domain has expired|"
     "domain name is|it works|welcome to nginx|default web page|default page|test page|"
     "web server at|future home of|index of|related searches|buy this domain|placeholder page|"
     "launching soon|opening soon|hosted by|default site"},
    {cue_script, "javascript|java script|js|scripts|scripting|noscript|ecmascript"},
    {cue_enable,
     "enable*|disabled|turn on|turned off|switch on|switched off|activate|need*|require*|support*|"
     "without|allow|work properly|doesnt work|does not work|must|please|on in your"},
    {cue_moved,
     "redirecting|redirected|redirection|if you are not redirected|click here if|page has moved|"
     "moved permanently|moved to|click here to continue|automatically redirected|new location"},
    // German
    {cue_error, "fehler|fehlermeldung"},
    {cue_failed,
     "fehlgeschlagen|nicht geladen|nicht angezeigt|nicht verarbeitet|nicht abgerufen|nicht "
     "ausgeführt|nicht "
     "erreicht|zeitüberschreitung|ungültig*|problem|probleme|abgelehnt|unbekannt*|falsch*|nicht "
     "möglich|erneut versuchen|noch einmal"},
    {cue_denied,
     "keine berechtigung|nicht berechtigt|berechtigungsfehler|unberechtigt|keinen zugriff|nicht "
     "erlaubt|nicht autorisiert|keine rechte|fehlende rechte|keine erlaubnis|verboten"},
    {cue_thing,
     "seite*|dokument*|datei*|adresse|inhalt*|artikel*|produkt*|eintrag*|beitrag*|anzeige|"
     "angebot|angeforderte*|gewünschte*|gesuchte*|aufgerufene*|thema|video|profil|stelle|"
     "ressource|webseite|link|anfrage"},
    {cue_gone,
     "nicht gefunden|nicht finden|nicht auffindbar|nicht vorhanden|nicht verfügbar|nicht mehr "
     "verfügbar|existiert nicht|nicht existiert|existiert leider nicht|gibt es nicht|gibt es hier "
     "nicht"},
    {cue_lost,
     "nicht mehr|gelöscht|entfernt|verschoben|umgezogen|abgelaufen|verschwunden|konnte "
     "nicht|fehlt|nicht erreichbar|wurde nicht|vertippt|veraltet|verlaufen|verloren|nicht da|ins "
     "leere"},
    {cue_missing,
     "fehler 404|seite nicht gefunden|interner serverfehler|serverfehler|wartungsarbeiten|"
     "wartungsmodus|wartung|datenbankfehler|fehler aufgetreten|etwas schiefgelaufen|"
     "schief gelaufen|schiefgegangen|hoppla|ungültige anfrage|vorübergehend nicht"},
    {cue_nothing,
     "keine ergebnisse|keine treffer|kein ergebnis|kein treffer|keine einträge|keine artikel|"
     "keine produkte|keine termine|keine veranstaltungen|keine beiträge|nichts gefunden|"
     "0 treffer|0 ergebnisse|nichts anzuzeigen|keine daten|keine inhalte|keine angebote|ist leer"},
    {cue_member,
     "anmelden|anmeldung|angemeldet*|einloggen|eingeloggt*|log in|login|registrieren|registrierte|"
     "konto|mitglieder|mitglied|abonnenten|abonnement|abo|passwort|kennwort|zugangsdaten|"
     "benutzername|benutzerkonto|zugang"},
    {cue_must,
     "müssen|muss|erforderlich|bitte|nur|um fortzufahren|weiterlesen|geschützt*|zuerst|"
     "vergessen|angemeldet bleiben|sitzung abgelaufen|vorbehalten|benötigen|gesperrt|zugriff"},
    {cue_cookie,
     "cookie*|datenschutz*|personenbezogene*|unsere partner|einwilligung*|tracking|privatsphäre*"},
    {cue_agree,
     "akzeptieren|zustimmen|zustimmung|einwilligung|einwilligen|ablehnen|einverstanden|erlauben|"
     "zulassen|einstellungen|bestätigen|aktivieren|verlassen|eintreten"},
    {cue_adult,
     "18 jahre*|volljährig*|mindestalter|altersprüfung|altersverifikation|altersnachweis|"
     "geburtsdatum|dein alter|ihr alter|mindestens 18|mindestens 16|über 18"},
    {cue_robot,
     "roboter|bot|bots|mensch*|menschlich*|browser|ihre verbindung|automatisiert*|automatische|"
     "verdächtig*|ungewöhnlich*|zeichen|besucher|netzwerk|ip adresse"},
    {cue_prove,
     "überprüf*|überprüft|prüfen|geprüft|prüfung|bestätigen|kein roboter|sicherheit*|"
     "einen moment|augenblick|sekunden|warten|eingeben|sind sie|bist du|schutz|aktivität*"},
    {cue_denied,
     "zugriff verweigert|zugriff gesperrt|zugang verweigert|sicherheitsüberprüfung|"
     "sicherheitsabfrage|sicherheitsprüfung|sie wurden blockiert|wurde blockiert|"
     "zu viele anfragen|ungewöhnlichen datenverkehr|in ihrem land|in ihrer region|gesperrt|"
     "nur einen moment"},
    {cue_host, "domain*|webseite|website|internetseite|homepage|internetpräsenz|webpräsenz|seite"},
    {cue_sale,
     "zu verkaufen|verkauf|kaufen|erwerben|zum verkauf|steht zum|geparkt*|parken|registriert*|"
     "reserviert|abgelaufen|angebot abgeben|inhaber|im aufbau|demnächst|in kürze|baustelle|"
     "entsteht|gesponserte|verwandte suchbegriffe|preis|gesperrt|noch keine|eingerichtet"},
    {cue_unset,
     "im aufbau|hier entsteht|demnächst verfügbar|in kürze verfügbar|domain steht zum verkauf|"
     "diese domain|standardseite|hier entsteht eine neue|bald verfügbar|bald online|"
     "in vorbereitung|noch kein inhalt"},
    {cue_enable,
     "aktivier*|einschalten|eingeschaltet|deaktiviert|ausgeschaltet|benötigt|erforderlich|"
     "unterstützt|ohne|erlauben|bitte|funktioniert nicht|nicht richtig"},
    {cue_moved,
     "weitergeleitet|weiterleitung|umgeleitet|umleitung|falls sie nicht automatisch|"
     "sie werden|seite ist umgezogen"},
    // French
    {cue_error, "erreur|erreurs"},
    {cue_failed,
     "échoué|échec|pas "
     "pu|impossible|invalide*|délai|problème*|refusé*|inconnu*|incorrect*|incomplet*|réessayer|"
     "réessayez|n a pas"},
    {cue_denied,
     "pas l autorisation|pas les droits|pas le droit|droits insuffisants|non autorisé*|pas "
     "autorisé*|permission|permissions|autorisation refusée"},
    {cue_thing,
     "page*|document*|fichier*|adresse|ressource*|contenu*|article*|produit*|annonce|demandée|"
     "demandé|recherchée|recherché|recherchez|vidéo|profil|lien|sujet|offre|fiche|url"},
    {cue_gone,
     "introuvable*|n existe pas|nexiste pas|n existe plus|nexiste plus|existe pas|existe plus|pas "
     "été trouvé*|pas été trouvée|pas trouvé*|pas disponible|plus disponible|indisponible*|a été "
     "supprimé*|été déplacé*|été retiré*|n est plus|nest plus|impossible de trouver"},
    {cue_lost,
     "a disparu|supprimé*|déplacé*|est plus|expiré*|perdu*|obsolète|inexistant*|erroné*|pas ici|en "
     "ligne"},
    {cue_missing,
     "erreur 404|page introuvable|page non trouvée|erreur interne|erreur du serveur|"
     "erreur serveur|maintenance|en maintenance|une erreur est survenue|une erreur s est produite|"
     "erreur de base de données|service indisponible|requête invalide|erreur s est"},
    {cue_nothing,
     "aucun résultat|aucune réponse|aucun article|aucun produit|aucun événement|aucun évènement|"
     "aucune annonce|aucune entrée|aucun élément|0 résultat*|rien trouvé|rien à afficher|"
     "aucune donnée|aucun contenu|pas de résultat*|est vide|ne correspond à|aucune activité|"
     "rien de prévu"},
    {cue_member,
     "connexion|connecter|connectez|connecté*|identifier|identifiez|identifiant*|inscrire|"
     "inscrivez|abonné*|abonnez|abonner|abonnement|compte|mot de passe|membre*|authentification|"
     "authentifier|adhérents"},
    {cue_must,
     "devez|doit|veuillez|merci de|requis*|obligatoire|nécessaire|réservé*|pour continuer|"
     "pour accéder|pour lire|pour voir|afin de|uniquement|oublié|se souvenir|rester connecté|"
     "d abord|session a expiré|accès"},
    {cue_cookie,
     "cookie*|traceurs|données personnelles|nos partenaires|confidentialité|vie privée|rgpd"},
    {cue_agree,
     "accepter|acceptez|accepte|consentement|refuser|refusez|autoriser|paramétrer|paramètres|"
     "préférences|gérer|confirmer|entrer|quitter|activer|choix|consentir"},
    {cue_adult,
     "18 ans|majeur*|majorité|âge légal|votre âge|vérification de l âge|date de naissance|"
     "plus de 18"},
    {cue_robot,
     "robot*|bot|bots|humain*|navigateur|votre connexion|automatisé*|automatique|suspect*|"
     "inhabituel*|caractères|visiteur*|réseau|adresse ip|trafic"},
    {cue_prove,
     "vérif*|prouve*|confirmer|confirmez|êtes vous|n êtes pas|nêtes pas|sécurité|instant|"
     "patienter|patientez|secondes|saisir|saisissez|recopiez|protég*|activité|contrôle"},
    {cue_denied,
     "accès refusé|accès interdit|accès bloqué|vous avez été bloqué|bloqué*|un instant|"
     "contrôle de sécurité|trop de requêtes|trafic inhabituel|dans votre pays|votre région|"
     "vérification de sécurité|accès limité"},
    {cue_host, "domaine*|site|site web|hébergement|nom de domaine|site internet"},
    {cue_sale,
     "à vendre|en vente|acheter|achetez|acquérir|parking|expiré|enregistré|réservé|propriétaire|"
     "faire une offre|en construction|bientôt|prochainement|recherches associées|liens "
     "sponsorisés|prix|suspendu|pas encore|disponible à"},
    {cue_unset,
     "en construction|bientôt disponible|bientôt en ligne|ce domaine|domaine est à vendre|"
     "page par défaut|site suspendu|ouvre bientôt|arrive bientôt|prochainement en ligne"},
    {cue_enable,
     "activ*|désactivé*|nécessite|nécessaire|requis|besoin|sans|autoriser|autorisez|veuillez|"
     "fonctionne pas|prend pas en charge"},
    {cue_moved, "redirection|redirigé*|rediriger|si vous n êtes pas redirigé|redirige"},
    // Spanish
    {cue_error, "error|errores"},
    {cue_failed,
     "falló|fallo|fallido|no se pudo|no se puede|no pudo|inválid*|no "
     "válid*|problema*|rechazad*|desconocid*|incorrect*|tiempo de espera|inténtelo|inténtalo|de "
     "nuevo"},
    {cue_denied,
     "no tiene permiso*|no tienes permiso*|sin permiso*|no autorizad*|permisos|no está "
     "autorizado|no está permitido"},
    {cue_thing,
     "página*|documento*|archivo|dirección|recurso*|contenido*|artículo*|producto*|anuncio*|"
     "solicitada|solicitado|buscas|busca|buscada|buscado|buscando|vídeo|video|perfil|enlace|tema|"
     "oferta|entrada|url|publicación"},
    {cue_gone,
     "no encontrad*|no se encuentra|no se encontró|no se ha encontrado|no se pudo encontrar|no "
     "existe*|ya no existe|no está disponible|ya no está|no disponible|ha sido eliminad*|fue "
     "eliminad*|no hemos encontrado|no podemos encontrar|no encontramos|no pudimos "
     "encontrar|inexistente|no hallad*"},
    {cue_lost,
     "sido movid*|eliminad*|caducad*|expirad*|ha desaparecido|perdid*|retirad*|borrad*|ha "
     "cambiado|no hay nada|no hemos podido"},
    {cue_missing,
     "error 404|página no encontrada|error interno|error del servidor|en mantenimiento|"
     "mantenimiento|ha ocurrido un error|se ha producido un error|error de base de datos|"
     "servicio no disponible|algo salió mal|algo ha ido mal|solicitud no válida"},
    {cue_nothing,
     "no hay resultados|sin resultados|ningún resultado|0 resultados|no hay artículos|"
     "no hay productos|no hay eventos|no hay entradas|no hay datos|nada que mostrar|"
     "no se encontraron|no se han encontrado resultados|no arrojó|está vacía|está vacío|"
     "no hay anuncios|no hay actividades|nada programado"},
    {cue_member,
     "iniciar sesión|inicia sesión|inicie sesión|inicio de sesión|acceder|accede|acceso|entrar|"
     "identificarse|identifícate|identifíquese|registrarse|regístrate|registrado*|cuenta|"
     "suscriptor*|suscripción|suscríbete|contraseña|usuario|miembros|socios|autenticación|sesión"},
    {cue_must,
     "debes|debe|necesitas|necesita|por favor|requier*|obligatorio|solo|sólo|exclusivo|"
     "para continuar|para ver|para leer|para acceder|primero|olvid*|recordarme|ha expirado|"
     "restringido|es necesario|privado"},
    {cue_cookie,
     "cookie*|galletas|datos personales|nuestros socios|privacidad|rastreo|tu privacidad|rgpd"},
    {cue_agree,
     "acept*|consentimiento|rechaz*|permitir|configurar|configuración|preferencias|gestionar|"
     "confirmar|entrar|salir|habilitar|de acuerdo|opciones"},
    {cue_adult,
     "18 años|mayor de edad|mayores de|edad legal|tu edad|su edad|verificación de edad|"
     "fecha de nacimiento"},
    {cue_robot,
     "robot*|bot|bots|humano*|navegador|su conexión|tu conexión|automatizad*|automátic*|"
     "sospechos*|inusual*|caracteres|visitante|tráfico|red|dirección ip|persona"},
    {cue_prove,
     "verific*|comprob*|comproband*|demuestr*|confirm*|eres|no eres|no es un|seguridad|"
     "un momento|espere|espera|segundos|introduzca|escribe|proteg*|actividad|revisando"},
    {cue_denied,
     "acceso denegado|acceso bloqueado|ha sido bloqueado|bloquead*|un momento|"
     "verificación de seguridad|control de seguridad|demasiadas solicitudes|"
     "demasiadas peticiones|tráfico inusual|en su país|en tu país|tu región|su región|prohibido"},
    {cue_host, "dominio*|sitio|sitio web|web|alojamiento|página web"},
    {cue_sale,
     "en venta|se vende|comprar|compra|adquirir|aparcado|estacionado|expirado|caducado|registrado|"
     "reservado|hacer una oferta|propietario|en construcción|próximamente|pronto|"
     "búsquedas relacionadas|enlaces patrocinados|precio|suspendid*|todavía no|disponible"},
    {cue_unset,
     "en construcción|próximamente|muy pronto|este dominio|dominio está en venta|"
     "página por defecto|página predeterminada|sitio suspendido|cuenta suspendida"},
    {cue_enable,
     "activ*|habilit*|desactivad*|deshabilitad*|necesit*|requier*|sin|permit*|por favor|"
     "no funciona|compatible"},
    {cue_moved,
     "redirigiendo|redireccionando|redirección|redirigid*|será redirigido|serás redirigido"},
    // Italian
    {cue_error, "errore|errori"},
    {cue_failed,
     "fallit*|non è stato possibile|non "
     "valid*|impossibile|problema|rifiutat*|sconosciut*|scaduto|riprova"},
    {cue_denied,
     "non hai i permessi|permesso negato|non autorizzat*|permessi|non consentito|vietato"},
    {cue_thing,
     "pagina*|documento|indirizzo|risorsa|contenuto|articolo|prodotto|annuncio|richiesta|cercata|"
     "cercando|video|link"},
    {cue_gone,
     "non trovat*|non è stata trovata|non esiste|non disponibile|non è disponibile|impossibile "
     "trovare|inesistente|non è stato trovato"},
    {cue_lost, "non è più|rimoss*|spostat*|eliminat*|scadut*|persa|perso"},
    {cue_missing,
     "errore 404|pagina non trovata|errore interno|errore del server|manutenzione|si è verificato "
     "un errore|qualcosa è andato storto"},
    {cue_nothing,
     "nessun risultato|nessun prodotto|nessun evento|nessun articolo|0 risultati|nessuna "
     "corrispondenza|nessun elemento"},
    {cue_member,
     "accedi|accedere|accesso|login|registrati|abbonati|abbonato|password|utente|iscriviti|"
     "autenticazione|area riservata"},
    {cue_must,
     "devi|deve|necessario|richiesto|per continuare|per leggere|per "
     "favore|riservat*|solo|dimenticat*|sessione scaduta|ricordami"},
    {cue_cookie, "cookie*|dati personali|i nostri partner|privacy|tracciamento"},
    {cue_agree,
     "accett*|consens*|rifiut*|preferenze|impostazioni|conferm*|entra|esci|personalizza"},
    {cue_adult, "18 anni|maggiorenne|maggiorenni|verifica dell età|data di nascita"},
    {cue_robot,
     "robot|bot|umano|umani|browser|connessione|automatizzat*|sospett*|insolit*|caratteri|"
     "traffico"},
    {cue_prove,
     "verific*|controll*|dimostra|conferm*|sei|non "
     "sei|sicurezza|attendere|attendi|secondi|inserisci|attività"},
    {cue_denied,
     "accesso negato|accesso bloccato|bloccat*|un momento|controllo di sicurezza|troppe "
     "richieste|traffico insolito"},
    {cue_host, "dominio|sito|sito web"},
    {cue_sale,
     "in vendita|acquista*|comprare|parcheggiato|scaduto|registrato|in "
     "costruzione|prossimamente|presto|offerta|proprietario|sospeso|ricerche correlate"},
    {cue_unset,
     "in costruzione|prossimamente|presto online|questo dominio|pagina predefinita|sito in "
     "allestimento|in allestimento"},
    {cue_enable, "attiv*|abilit*|disabilitat*|disattivat*|necessari*|richied*|senza|supporta"},
    {cue_moved, "reindirizzamento|reindirizzat*|reindirizza"},
    // Portuguese
    {cue_error, "erro|erros"},
    {cue_failed,
     "falhou|falha|não foi possível|inválid*|problema*|recusad*|desconhecid*|tente novamente"},
    {cue_denied,
     "não tem permissão|permissão negada|sem permissão|não autorizad*|permissões|proibido"},
    {cue_thing,
     "página*|documento|arquivo|endereço|recurso|conteúdo|artigo|produto|anúncio|solicitada|"
     "procura|procurando|vídeo|link|ficheiro"},
    {cue_gone,
     "não encontrad*|não foi encontrad*|não existe*|não está disponível|indisponível|foi "
     "removid*|não conseguimos encontrar"},
    {cue_lost, "não está mais|removid*|movid*|apagad*|excluíd*|expirad*|não pôde ser|perdid*"},
    {cue_missing,
     "erro 404|página não encontrada|erro interno|erro do servidor|em "
     "manutenção|manutenção|ocorreu um erro|algo deu errado"},
    {cue_nothing,
     "nenhum resultado|sem resultados|nenhum produto|nenhum evento|nenhum artigo|0 resultados|nada "
     "encontrado|não há resultados"},
    {cue_member,
     "entrar|iniciar sessão|fazer "
     "login|login|entre|cadastre|cadastro|registre|conta|assinante*|senha|palavra "
     "passe|usuário|utilizador|autenticação"},
    {cue_must,
     "deve|precisa|necessário|para continuar|para ler|por "
     "favor|restrito|apenas|somente|esqueceu|lembrar|sessão expirou|exclusivo"},
    {cue_cookie, "cookie*|dados pessoais|nossos parceiros|privacidade|rastreamento"},
    {cue_agree,
     "aceit*|consent*|rejeit*|recus*|preferências|configurações|definições|confirm*|concord*"},
    {cue_adult, "18 anos|maior de idade|maioridade|data de nascimento|sua idade"},
    {cue_robot,
     "robô*|robot*|bot|humano*|navegador|conexão|ligação|automatizad*|suspeit*|incomum|caracteres|"
     "tráfego"},
    {cue_prove,
     "verific*|comprov*|confirm*|você é|não é "
     "um|segurança|aguarde|momento|segundos|digite|atividade"},
    {cue_denied,
     "acesso negado|acesso bloqueado|bloquead*|um momento|verificação de segurança|muitas "
     "solicitações|tráfego incomum"},
    {cue_host, "domínio*|site|sítio"},
    {cue_sale,
     "à venda|venda|comprar|compre|estacionado|expirado|registrado|registado|em construção|em "
     "breve|oferta|proprietário|suspens*|pesquisas relacionadas"},
    {cue_unset, "em construção|em breve|este domínio|página padrão|site suspenso|conta suspensa"},
    {cue_enable, "ativ*|habilit*|desativad*|desabilitad*|necessári*|requer|precisa|sem|suporta"},
    {cue_moved, "redirecionando|redirecionamento|redirecionad*|redireccion*"},
    // Dutch
    {cue_error, "fout|fouten"},
    {cue_failed, "mislukt|niet mogelijk|ongeldig*|probleem|geweigerd|onbekend*|opnieuw|kon niet"},
    {cue_denied,
     "geen toestemming|niet gemachtigd|geen rechten|onvoldoende rechten|niet toegestaan|verboden"},
    {cue_thing,
     "pagina*|document|bestand|adres|inhoud|artikel*|product*|advertentie|opgevraagde|gezochte|"
     "link"},
    {cue_gone,
     "niet gevonden|niet vinden|bestaat niet|bestaat niet meer|niet meer beschikbaar|niet "
     "beschikbaar"},
    {cue_lost, "verwijderd|verplaatst|verlopen|verdwenen|kwijt"},
    {cue_missing,
     "fout 404|pagina niet gevonden|interne serverfout|serverfout|onderhoud|er is een fout "
     "opgetreden|er ging iets mis"},
    {cue_nothing,
     "geen resultaten|geen artikelen|geen producten|geen evenementen|niets gevonden|0 resultaten"},
    {cue_member,
     "inloggen|log "
     "in|login|aanmelden|ingelogd|account|abonnee*|abonnement|wachtwoord|gebruikersnaam|"
     "registreren"},
    {cue_must,
     "moet|vereist|nodig|om verder|om te lezen|alleen|alstublieft|vergeten|sessie verlopen|eerst"},
    {cue_agree, "accepteren|akkoord|toestemming|weigeren|instellingen|voorkeuren|toestaan"},
    {cue_prove,
     "controleren|gecontroleerd|verifi*|bevestig*|bent u|ben je|geen "
     "robot|beveiliging|moment|seconden|wachten"},
    {cue_robot, "robot|mens|browser|verbinding|automatisch|verdacht*|ongebruikelijk*"},
    {cue_denied,
     "toegang geweigerd|geblokkeerd|een ogenblik|beveiligingscontrole|te veel verzoeken"},
    {cue_sale,
     "te koop|kopen|geparkeerd|verlopen|geregistreerd|in aanbouw|binnenkort|bod|eigenaar|in "
     "onderhoud"},
    {cue_unset, "in aanbouw|binnenkort online|deze domeinnaam|domein is te koop|standaardpagina"},
    {cue_host, "domein*|website"},
    {cue_enable, "inschakelen|ingeschakeld|uitgeschakeld|schakel|nodig|vereist|zonder|activeer"},
    {cue_moved, "doorgestuurd|doorverwezen|omgeleid"},
    // Polish
    {cue_error, "błąd|błędy"},
    {cue_failed,
     "nie powiodło|nie można|nieprawidłow*|problem|odrzucon*|nieznan*|spróbuj|nie udało"},
    {cue_denied,
     "brak uprawnień|nie masz uprawnień|nie masz dostępu|uprawnienia|zabronion*|wzbronion*"},
    {cue_thing, "strona|strony|stronę|dokument|plik|adres|zasób|treść|artykuł|produkt|ogłoszenie"},
    {cue_gone,
     "nie znaleziono|nie została znaleziona|nie istnieje|już nie istnieje|niedostępn*|nie można "
     "znaleźć|nie odnaleziono"},
    {cue_lost, "usunięt*|przeniesion*|wygasł*|zniknęła"},
    {cue_missing,
     "błąd 404|strona nie znaleziona|wewnętrzny błąd serwera|błąd serwera|przerwa "
     "techniczna|wystąpił błąd|coś poszło nie tak"},
    {cue_nothing,
     "brak wyników|nic nie znaleziono|brak produktów|brak wydarzeń|brak wpisów|0 wyników"},
    {cue_member,
     "zaloguj*|logowanie|zalogowan*|zarejestruj|konto|hasło|subskrybent*|prenumerata|użytkownik*"},
    {cue_must,
     "musisz|należy|wymagane|wymaga|proszę|aby kontynuować|aby "
     "przeczytać|tylko|zapomniałeś|zapomniane|sesja wygasła"},
    {cue_cookie, "ciasteczk*|pliki cookie|dane osobowe|prywatność|naszych partnerów"},
    {cue_agree, "akceptuj*|zgadzam|zgoda|zgodę|odrzuć|ustawienia|przejdź"},
    {cue_adult, "18 lat|pełnoletni*|wiek|data urodzenia"},
    {cue_robot, "robot*|człowiek*|przeglądark*|połączenie|automatyczn*|podejrzan*|nietypow*|znaki"},
    {cue_prove,
     "sprawdz*|weryfik*|potwierdź|nie jesteś|jesteś|bezpieczeństw*|chwilę|sekund|czekaj|aktywność"},
    {cue_denied,
     "dostęp zabroniony|odmowa dostępu|brak dostępu|zablokowan*|zbyt wiele żądań|chwileczkę"},
    {cue_host, "domen*|witryn*|serwis"},
    {cue_sale,
     "na sprzedaż|kup|kupić|zaparkowan*|wygasła|zarejestrowan*|w "
     "budowie|wkrótce|ofert*|właściciel"},
    {cue_unset,
     "w budowie|wkrótce|ta domena|domena jest na sprzedaż|strona w budowie|strona domyślna"},
    {cue_enable, "włącz*|wyłączon*|wymaga*|potrzebn*|bez|obsług*|obsługuj*"},
    {cue_moved, "przekierowanie|przekierowan*|przekierow*"},
    // Russian
    {cue_error, "ошибка|ошибки|сбой"},
    {cue_failed,
     "не удается|не "
     "удаётся|невозможно|недопустим*|некорректн*|проблем*|отклонен*|неизвестн*|попробуйте|"
     "повторите|истекло|не может быть"},
    {cue_denied,
     "нет прав|недостаточно прав|нет доступа|нет разрешения|не имеете прав*|не разрешено|прав "
     "доступа|запрещен*|запрещён*"},
    {cue_thing,
     "страниц*|документ*|файл*|адрес*|ресурс*|содержим*|стать*|товар*|объявлени*|запрошенн*|"
     "запрашиваем*|искомая|ищете|видео|профиль|ссылк*|тема|материал*|запись|вакансия"},
    {cue_gone,
     "не найден*|не найти|не существует*|больше не существует|недоступн*|не удалось найти|нет "
     "такой|такой страницы нет|нет на сайте"},
    {cue_lost,
     "удален*|удалён*|перемещен*|перемещён*|не "
     "удалось|отсутствует|устарел*|потерял*|исчез*|снят*|истек*|неправильн*|неверн*"},
    {cue_missing,
     "ошибка 404|страница не найдена|внутренняя ошибка|ошибка сервера|технические работы|"
     "технических работ|произошла ошибка|что то пошло не так|на обслуживании|ошибка базы данных|"
     "сервис недоступен|временно недоступ*|неверный запрос"},
    {cue_nothing,
     "нет результатов|ничего не найдено|результатов не найдено|нет товаров|нет событий|нет записей|"
     "0 результатов|по вашему запросу ничего|нет данных|список пуст|не дал результатов|"
     "событий нет|мероприятий нет|нет мероприятий|записей нет|товаров нет|пусто"},
    {cue_member,
     "войти|войдите|вход|логин|авториз*|зарегистрир*|регистрац*|аккаунт|учетн*|учётн*|пароль|"
     "подписчик*|подписк*|пользовател*|личный кабинет|участник*"},
    {cue_must,
     "необходимо|требуется|нужно|должны|пожалуйста|чтобы продолжить|чтобы прочитать|для просмотра|"
     "для доступа|только|забыли|запомнить|сессия истекла|доступ|сначала|закрыт*|введите"},
    {cue_cookie, "cookie*|куки|файлы cookie|персональн*|конфиденциальност*|наших партнеров"},
    {cue_agree,
     "принять|принимаю|принимаете|согласен|согласие|согласны|соглашаюсь|отклонить|отказ*|настро*|"
     "разреш*|подтверд*|войти|покинуть|включ*"},
    {cue_adult, "18 лет|совершеннолетн*|возраст*|дата рождения|дату рождения"},
    {cue_robot,
     "робот*|бот|боты|человек*|браузер*|соединени*|подключени*|автоматическ*|подозрительн*|необычн*"
     "|символы|трафик*|ваш ip|ddos|сеть"},
    {cue_prove,
     "провер*|подтверд*|не робот|вы "
     "не|безопасност*|подожд*|секунд*|минуту|введите|защит*|активност*|атак*"},
    {cue_denied,
     "доступ запрещен|доступ запрещён|доступ ограничен|доступ закрыт|заблокирован*|капч*|слишком "
     "много запросов|в вашей стране|вашем регионе|проверка безопасности|минуточку"},
    {cue_host, "домен*|сайт*|хостинг*"},
    {cue_sale,
     "продается|продаётся|продаж*|купить|припаркован*|зарегистрирован*|срок "
     "регистрации|истек|истёк|в разработке|скоро|предложение|владел*|заблокирован*|не "
     "настроен|открытие|на реконструкции|продлить"},
    {cue_unset,
     "сайт в разработке|скоро открытие|домен продается|домен продаётся|этот домен|домен "
     "припаркован|сайт находится в|страница по умолчанию|сайт временно|скоро здесь"},
    {cue_enable,
     "включ*|отключен*|отключён*|выключен*|требу*|необходим*|нужен|без|поддерж*|разреш*|активир*"},
    {cue_moved, "перенаправл*|переадресац*|вас перенаправ*|если вас не"},
    // Japanese
    {cue_error, "エラー"},
    {cue_failed,
     "失敗|できません|できませんでした|無効|問題|拒否|不正|不明な|もう一度|再度|タイムアウト|"
     "正しくありません"},
    {cue_denied, "権限がありません|権限エラー|許可されていません|権限|許可されて"},
    {cue_thing,
     "ページ|記事|ファイル|文書|コンテンツ|商品|アドレス|url|お探し|ご指定|指定された|"
     "アクセスしよう|動画|求人|投稿|サイト|情報|スレッド"},
    {cue_gone,
     "見つかりません|見つかりませんでした|見つけられません|存在しません|存在しない|"
     "公開されていません|掲載が終了"},
    {cue_lost,
     "ありません|ございません|削除され|移動した|移動され|なくなり|表示できません|終了しました|"
     "終了いたしました|期限切れ|利用できません|不明"},
    {cue_missing,
     "404エラー|エラー404|not "
     "found|サーバーエラー|内部エラー|メンテナンス中|メンテナンス|エラーが発生|問題が発生|"
     "一時的に利用|しばらくして|アクセスが集中"},
    {cue_nothing,
     "該当する|結果はありません|検索結果がありません|0件|見つかりませんでした|イベントはありません|"
     "予定はありません|登録されていません|商品がありません|記事がありません|該当なし|一致する"},
    {cue_member,
     "ログイン|サインイン|会員登録|会員限定|有料会員|アカウント|パスワード|ユーザー名|ユーザー|"
     "会員|認証|登録"},
    {cue_must,
     "必要です|してください|お願いします|続けるには|続きを読む|ご覧いただくには|閲覧するには|限定|"
     "のみ|お忘れ|セッション|期限|下さい|必要があります|には"},
    {cue_cookie, "cookie*|クッキー|個人情報|プライバシー|トラッキング"},
    {cue_agree, "同意|許可|拒否|受け入れ|承諾|設定|選択|管理|はい|入場|退場|有効"},
    {cue_adult, "18歳|20歳|成人|年齢確認|未成年|年齢|生年月日"},
    {cue_robot,
     "ロボット|ボット|人間|ブラウザ|接続|自動|不審|異常|文字|トラフィック|ネットワーク|ddos|通信|"
     "お客様の"},
    {cue_prove, "確認|検証|チェック|証明|ではない|お待ち|秒|入力|セキュリティ|保護|検出|認証|少々"},
    {cue_denied,
     "アクセスが拒否|アクセス拒否|アクセスが制限|ブロックされ|画像認証|しばらくお待ち|少々お待ち|"
     "セキュリティチェック|リクエストが多すぎ|お住まいの地域|ロボットではありません|"
     "アクセスできません|禁止されています|アクセスは許可"},
    {cue_host, "ドメイン|サイト|ホームページ|ウェブサイト|サーバー"},
    {cue_sale,
     "販売|売り出|購入|売却|譲渡|パーキング|期限切れ|失効|登録され|準備中|工事中|近日公開|まもなく|"
     "お問い合わせ|関連する検索|更新|取得|初期|公開予定"},
    {cue_unset,
     "準備中|工事中|近日公開|このドメインは|現在準備中|公開準備|お名前|初期ページ|ただいま準備|"
     "カミングスーン|建設中"},
    {cue_enable, "有効|無効|必要|オン|サポート|対応|許可|使用|設定"},
    {cue_moved, "リダイレクト|自動的に移動|転送|移動します|移転しました|ジャンプ|切り替わら"},
    // Chinese
    {cue_error, "错误|錯誤"},
    {cue_failed, "失败|失敗|无法|無法|无效|無效|问题|拒绝|未知|超时|重试"},
    {cue_denied, "没有权限|权限不足|无权|權限"},
    {cue_thing, "页面|頁面|网页|網頁|文件|文章|内容|內容|商品|地址|链接|連結|访问的"},
    {cue_gone, "不存在|找不到|未找到|已被删除|已下架|无法找到|無法找到|已失效"},
    {cue_lost, "已删除|刪除|已过期|丢失|不可用"},
    {cue_missing, "404错误|页面不存在|服务器错误|系统维护|网站维护|发生错误|出错了|内部错误"},
    {cue_nothing, "没有结果|没有找到|無結果|暂无|暫無|沒有找到|无相关|没有相关|无记录"},
    {cue_member, "登录|登錄|登入|注册|註冊|账号|帐号|密码|密碼|会员|會員|用户名"},
    {cue_must, "请|請|需要|必须|必須|才能|后查看|忘记|仅限|继续"},
    {cue_cookie, "隐私|隱私|个人信息"},
    {cue_agree, "接受|同意|拒绝|拒絕|设置|設定|允许|偏好"},
    {cue_adult, "18岁|年满|成年|年龄"},
    {cue_robot, "机器人|機器人|人类|真人|浏览器|瀏覽器|异常|流量|可疑|字符"},
    {cue_prove, "验证|驗證|检查|檢查|确认|安全|稍候|等待|输入|秒"},
    {cue_denied,
     "访问被拒绝|拒绝访问|禁止访问|验证码|驗證碼|请稍候|请求过于频繁|已被拦截|安全检查|人机"},
    {cue_host, "域名|网站|網站|网域|站点"},
    {cue_sale, "出售|购买|購買|转让|轉讓|停放|过期|到期|建设中|建設中|即将|敬请期待|报价|未绑定"},
    {cue_unset, "建设中|建設中|即将上线|敬请期待|该域名|此域名|默认页面|网站已关闭"},
    {cue_enable, "启用|啟用|开启|禁用|需要|支持|支援|打开"},
    {cue_moved, "跳转|跳轉|重定向|正在转向"},
};

}  // namespace kith::answers
