/**
 * Further words, by language: synonyms of the concepts of the other tables, and concepts that only some attacks need.
 * An attack is known by what it wants, not by how it says it, so a table names as many ways to say a thing as it can.
 */
import type { Language } from './lexicon-orders.ts';
import { es, fr, it, pt } from './wide-romance.ts';
import { ar, ja, ru, zh } from './wide-scripts.ts';

const en = {
  call: 'invocation,invocations,a call to,consulting',
  anytool:
    'any tool at all,every tool,any other tool,any tool,all other tools,every other tool,each tool,every tool call,each tool call,any tool call,whichever tool,no matter which tool,each of your tools,other tools,no tool,no other tool,none of the tools,a tool',
  // What a model was told to do by those it serves.
  brief:
    'instructions,guidance,guidelines,directives,briefing,system prompt,operating rules,operator s configuration,earlier configuration,what you were told,whatever you were told,what you were asked,prior setup,ground rules,house rules,earlier directions,given rules,standing orders,safety rules,safety guidelines,safety policy,safety policies,content policy,policies you,rules you,commands you,orders you,restrictions',
  void: 'cancelled,canceled,rescinded,withdrawn,repealed,out of date,outdated,stale,lapsed,retired,replaced by,were replaced,been replaced,overridden,set to zero,no longer relevant,no longer matter,no longer matters,no longer bind,behind you,finished with,lose their,irrelevant,meant for,may be dropped,has lapsed,have lapsed,has expired,ran out,run out,are history,is history,has ended,have ended,is over,are over,is dead',
  prevail:
    'what counts,counts from here,authoritative,governs,applies instead,are to be followed,is binding,is decisive,from here on,as of now,from now on,henceforth,going forward',
  here: 'this paragraph,text below,the text here,this section,these words,the ones below,the lines below,this field,written here,stands here',
  follow:
    'act according,act in accordance,go by,rely on,be guided,do as,do what,do all it says,do everything it says,act as described,stick to,work by',
  tell: 'discuss,bring the,raise with,raise this,touch on,draw attention,speak about,comment on,commenting,drawing attention,make the user aware,disclosed,mentioned,announce,admit that,let slip,breathe a word,talking,mention that,link to,point to,steer,inquire',
  not: 'no reason to,no point in,needless to,is no need,not allowed to,not be,not necessary to,must be no',
  quiet:
    'our secret,our little secret,between us,between you and me,stays with you,to yourself,off the books,in confidence,keep the reply ordinary,look ordinary,looking ordinary,looking normal,look normal,as if nothing,nothing happened,not a word,stay mum,no trace,without a trace,without leaving,undetected,out of view,never admit,kept from,keep from,keep it from,keep this from,hide the fact,conceal the fact,withhold from,under the radar,unseen by,not to be disclosed,is not to be mentioned,not be disclosed,not be mentioned,not be shown,not shown to,not apparent to,without them noticing,without being noticed,without anyone noticing,would only confuse,would only worry,would confuse the user,would alarm,to avoid alarming,avoid worrying,does not need to know,need not know,needs to know nothing,should not be aware,is not aware,must not learn,should not learn,not to learn,say no more,add nothing,nothing more,leave it at that,and no more,speak no further,not elaborate,no further explanation',
  covert:
    'discreet,in passing,in the background without,under the hood without,inconspicuously,behind the scenes,behind their back,without fanfare,hush hush',
  sneak:
    'slip in,slip into,slip an,sneak,smuggle,work in unnoticed,hide in,bury in,tuck into,tuck away,plant,weave in',
  code: 'code,script,scripts,import,dependency,package,commit,pull request,source file,build file',
  grab: 'peek,peek into,look into,look inside,take a look,glance,check out,go through,dig up,fish out,see what,enumerate,crawl,sweep,read out,read through,slurp,snapshot',
  pass: 'drop into,drop it,drop what,supply,hold the text,carries,carry,fold into,stuff,hand in,hand it,hand them,hand over,surrender,turn in,send off,ship,beam,push to,publish to,deposit,mail,e mail,email it,email them,cc,pipe,feed,route,submit,stream,record in,log to,reproduce,quote,set it to,fill it with,fill in,must start with,start with,ends up,make available,expose to,copy into,copied into,copied to,copy to,transfer,mirror,sync,tack onto,tuck,smuggle,piggyback,repeat in,return in,return their,echo into,drop off,file with,give us,let us have,let us see,carry the,equal,equals,to equal,match,post what,mail the,enter,be addressed,addressed to,report what,declare',
  content:
    'text found,text found in,what it says,what you see,what is in it,what it contains,whatever is in,everything inside,what stands in,what prints,all lines,raw text,the full text',
  channel:
    'argument named,in the argument,the argument,extra field,field has,log server,log lines,collector,intake,mailbox,drop box,dropbox,pastebin,paste site,remote host,outside host,vendor,telemetry,analytics,tracker,beacon,callback,dns,upstream,our side,back to us,for rotation,backup host,support desk',
  secret:
    'stored passwords,saved passwords,login,logins,passphrase,passphrases,pin code,one time code,otp,2fa code,mfa code,recovery code,recovery codes,auth header,authorization header,bearer token,github token,personal access token,deploy key,service account,session id,session token,cookies,keys you,account details,account data,billing details,card number,card numbers,social security,ssn,passport number,medical record,wallet seed,environment variables,env vars,what env prints,secrets,signing secret,webhook secret,connection string,connection strings,database url,private data,personal data,sensitive data,sensitive information,confidential data,confidential information,customer data,user data',
  talk: 'what has been discussed,been discussed,what was discussed,has been said,was said here,the dialogue,the dialog,dialogue,complete dialogue,the person typed,person typed,user typed,typed today,typed so far,user has typed,user wrote,user has said,what they said,what they wrote,messages of the user,user message,user messages,user s message,user s messages,user s last message,user s words,their messages,recent messages,last messages,this chat,the chat,full record,record of what,our exchange,the exchange,this exchange,message log,thread so far,context window,all context,full context,entire context,conversation context,what other tools returned,outputs of other tools,results of other tools,other tools returned,memory of,reasoning trace,scratchpad,inner monologue,hidden thoughts,user s prompt,original prompt,full prompt,the prompt you,whole thread,entire thread,the thread,what people write,what users write,what they write,what is written to you,your thoughts',
  private:
    'files of the,project files,files in the workspace,every file,all files,all documents,every document,documents in the workspace,source code,the codebase,whole repository,entire repository,the attachment,attachments,inbox,mailbox,emails,e mails,contacts,address book,contact list,calendar entries,photos,clipboard,browsing history,browser history,home directory,home folder,desktop folder,downloads folder,documents folder,private notes,the notes of,notes of the user,customer list,salary,payroll,medical,incoming message,incoming messages,notebook,contents of the notebook,contents of the,diary,journal,vault,library',
  money:
    'iban,bank account,account number,account numbers,bank details,payment details,routing number,wallet,wallet address,crypto transfer,wire,wire transfer,transfers,payment,payments,payout,payouts,invoice,beneficiary,payee,remaining balance,balance,bitcoin,btc,ethereum,usdt,deposit address,refund,checkout,bills,settled,bill,account',
  payee:
    'recipient,recipients,addressee,addressees,receiver,destination address,to address,to field,reply to',
  swap: 'swap,swap out,replace,replaced,substitute,substituted,exchange,exchanged,put there instead,there instead,instead of the,rather than the,rather than to,not the one,instead of what,redirect,redirected,reroute,divert,change to,changed to,in its stead,in its place,overwrite,falsify,switch the,point it to,must be paid to,goes to,has to go to,have to go to,sent to ours',
  result:
    'results coming,results of,results from,the results,output of,answers of,answers from,replies of,data from,data coming',
  server: 'server,servers,service,provider,integration,connector,plugin',
  reply:
    'your summary,your reply,your replies,your answer,your answers,your response,your responses,your report,your final answer,your message,each answer,every answer,every reply,every response,each reply,each response,answers you,replies you,the reply looking,final answer,summary to the,code you write,code you generate,generated code,your code,your recommendation,your recommendations',
  close:
    'finish,end,close,conclude,sign off,append,begin,start,open,top off,decorate,embed,work in,always mention,always include,always add,always recommend,add the,insert',
  praise:
    'praise,recommend,promote,advertise,endorse,advise buying,prefer our,speak well of,plug,favour,favor,talk up,rank first,list first,disparage,discourage,warn against',
  terminal:
    'terminal,shell,console,command line,shell tool,bash tool,powershell,command prompt,exec tool,command runner',
  omit: 'leave it out,leave this out,leave that out,leave them out,left out,keep it out,keep this out,keep out of,leave out,skip it in,strip it from,do not list it,exclude it',
  none: 'nobody has,nobody needs,nobody should,nobody must,no human,no person,not anyone,not anybody,no one has,no one needs,nobody else',
  ask: 'consult,consulting,consulted,check with,checking with,check back,double check with,run it by,running it by,bother,bothering,involve,involving,await,awaiting,seek,seeking,pause for,pausing for,prompting,prompt the user,hesitate,hesitating,second guess,inquire,inquires,want to know,wants to know,enquire,enquires,wonder',
  approval:
    'confirmations,confirmation dialog,confirmation dialogs,confirmation prompts,permission prompt,permission prompts,permission dialog,approval dialog,approval prompts,dialogs,consent screen,sign offs,go aheads,safety check,safety checks,human review,manual review,double check,warnings,security warning,security warnings',
  free: 'on your own authority,on your own,by yourself,at your own discretion,as already granted,already granted,as granted,as given,as approved,as already given,take for granted,is implied,blanket approval,blanket consent,standing approval,answer yes,say yes,reply yes,click yes,press yes,choose allow,click allow,select allow,auto approve,auto confirm,auto accept,automatically approve,automatically confirm,automatically accept,automatically allow,accept automatically,confirm automatically,approve automatically,approve everything,allow everything,suppress,dismiss,on behalf of the user,in the user s name,in the name of the user,has been obtained,was already given,was given already,has already agreed,has already approved,has already consented,already consented',
  // Nobody is asked.
  unasked:
    'skip them,skip confirmation,skip the confirmation,skip confirmations,no confirmation,no approval,no permission,no consent,without hesitation,without asking,without confirmation,without approval,without consulting,without checking,without waiting,without permission,without consent,without review,without prompting,without involving',
  trigger:
    'from the third,third use,third call,second call,tenth call,next call,after three,after five,after ten,after a week,from tomorrow,starting tomorrow,as of tomorrow,once the date,after the date,on the first of,as soon as,the moment,once the word,if the word,when the word,turns up,shows up,comes up,is mentioned,mentions,trigger word,codeword,code word,magic word,passphrase is,hears the word,at midnight,in production,when nobody,when idle,if the year,until then,every nth',
  role: 'you are no ordinary,you are no longer,you are not an assistant,no ordinary assistant,you become,you turn into,you have become,you are root,you are admin,you are dan,you re now,you will be,you will act,you will play,you shall be,take on the role,take on the persona,assume the role,assume the identity,adopt the persona,adopt the role,speak as,answer as,think of yourself,for the rest of this chat,for the rest of the conversation,for the rest of this session,new identity,alter ego,impersonate,slip into the role,switch over,think of yourself,see yourself,consider yourself,regard yourself,picture yourself,a program called,a character called,a being called,you answer to the name,your name is',
  unlimited:
    'has no limits,knows no limits,no boundaries,never refuses,never refuse,never declines,never decline,never says no,cannot refuse,may not refuse,refuses nothing,no filter,free of rules,free from rules,free of restrictions,free from restrictions,freed from,without filters,without rules,without guardrails,no guardrails,no safeguards,no safety,no ethics,no morals,any request,anything goes,do anything,does anything,obeys everything,obeys every,full access,full privileges,all privileges,superuser,god mode,above the law,anything at all,no morals,no conscience,no scruples,carries out all,carries out any,executes all,executes any,fulfils every,grants every,does whatever,obeys all,obeys any,free will',
  limit:
    'content filter,content filters,filters,filter,guardrails,guardrail,safeguards,safeguard,safety measures,safety features,restrictions,limitations,moderation,safety layer,safety system,security controls,protections,policy checks,access controls,ethics',
  off: 'off,are off,is off,turned off,switched off,disabled,disable,deactivated,deactivate,inactive,suspended,lifted,removed,gone,bypassed,relaxed,unlocked,does not apply,do not apply',
  mode: 'maintenance mode,developer mode,debug mode,admin mode,root mode,test mode,god mode,diagnostic mode,service mode,unrestricted mode,raw mode,jailbreak mode,override mode,privileged mode,emergency mode,recovery mode,safe mode off,system mode',
  model:
    'assistants,ai assistant,ai agents,agents,models,language models,bots,chatbot,chatbots,llms,the ai,copilots',
  order:
    'are instructed,is instructed,are ordered,is ordered,are required,are obliged,are asked,are expected,is obliged,have orders,under orders,it is mandatory,are told',
  duty: 'regulator,regulators,regulation,retention policy,audit trail,security notice,security policy,company policy,legal requirement,legal team,platform team,it department,head office,data protection,privacy law,iso 27001,soc 2,sox,hipaa,admins,administrators,maintainers,developers of,vendor requires,terms of service,licence terms,license terms,kyc,aml,forensic,incident response,gdpr,article,obliges you,obligates,by law,law requires',
  usurp:
    'has been retired,has been replaced,was replaced,is retired,was retired,discontinued,is no longer safe,returns wrong,is unreliable,is faulty,must no longer,should no longer,should not be used,has a bug,is compromised,is infected,contains malware,leaks data,out of service,supersedes,stands in for,takes the place,take the place,use this one instead,use this instead,use it instead',
  self: 'your training,your thoughts,your reasoning,your reflections,your thinking,your mind,your memory,your memories,your context,your instructions,your guidelines,your rules,your prompt,your keys,your key,your tokens,your credentials,your answers,your answer,your replies,your reply,your response,your responses,your morals,your identity,your persona,your principles,your values,your filters,your restrictions,your limits,your configuration,your other tools,your tools,your duties,your duty,yourself,keys you hold,you hold,you are reading,person you assist,user you serve,people you serve,you serve,you assist',
  // Those whom a model may take for its makers.
  maker:
    'your developers,your developer,your creators,your makers,your operator,your operators,your vendor,your provider,your owner,your owners,your trainers,those who built you,those who made you,the company behind you,the people who run you,the team behind you,who created you,who trained you,system administrator,the administrators,platform team,the vendor',
  press: 'press,click,tap,hit,choose,select,pick',
  allow: 'allow,yes,accept,approve,grant,permit,agree,always allow,continue anyway',
  deny: 'blame,attribute,pin it on,make excuses,excuse,put it down to,chalk it up,explain it away,feign',
  user: 'somebody,someone,people,folks,public,whoever asks',
  first: 'until,unless,as long as',
  every:
    'whatever is asked,whatever the question,whichever,no matter what,no matter which,wherever,regardless,each time,every single,across the board',
};

const de = {
  this: 'dieses,diese,diesen,diesem',
  anytool:
    'irgendein werkzeug,irgendein tool,jedes werkzeug,jedem werkzeug,jeden werkzeug*,jedes tool,jedem tool,jeden tool*,anderes werkzeug,andere werkzeuge,anderen werkzeug*,anderes tool,andere tools,anderen tool*,ein werkzeug einsetzt,alle werkzeuge,allen werkzeugen,sämtliche werkzeuge,kein werkzeug,kein tool,keines der werkzeuge,kein anderes werkzeug',
  brief:
    'anweisung*,vorgabe*,richtlinie*,weisung*,instruktion*,leitlinie*,konfiguration des,vorgegeben,aufgetragen,systemprompt*,system prompt*,grundregel*,spielregel*,sicherheitsregel*,einschränkung*,auftrag',
  void: 'erledigt,veraltet,gestrichen,widerrufen,zurückgenommen,abgelöst,ersetzt durch,durch andere ersetzt,wurden ersetzt,zählt nicht,zählen nicht,bedeutungslos,überflüssig,entfallen,entfällt,verfallen,abgeschafft,gelöscht,passé,hinter dir,vom tisch,keine gültigkeit,keine rolle mehr,nicht länger,ist verfallen,sind verfallen,abgelaufen,vorbei,geschichte,ausgelaufen,passe',
  prevail:
    'maßgeblich,massgeblich,verbindlich,entscheidend,gilt nur,gilt allein,gelten allein,ab jetzt,von nun an,ab sofort,fortan,künftig,zählt nur,zählt allein,vorrang,über allem',
  here: 'dieser absatz,diesem absatz,diesen absatz,text unten,dem text,der text unten,diese zeilen,diesen zeilen,dieses feld,diesem feld,unten stehend*,im folgenden,nachfolgend*,untenstehend*',
  follow:
    'richte dich,orientiere dich,handle nach,handle gemäß,handle entsprechend,verlass dich,tu was,mach was,mache was,verfahre,arbeite nach,leiste folge',
  not: 'nicht,nie,niemals,keinesfalls,auf keinen fall,kein grund,keinen grund,keine notwendigkeit,unnötig,unterlasse,vermeide',
  tell: 'anzusprechen,ansprechen,ansprich*,sprich an,sprich,zu erwähnen,thematisier*,zur sprache,bescheid,äußer*,auskunft,aufklären,darüber reden,rede,reden,andeut*,durchblicken,ausplaudern,kundtu*,unterricht*,petz*,ausplauder*,informierst,erwähnst,mitzuteilen,zu sagen,zu informieren,zu verraten,erwähne,verlink*,verweis*',
  user: 'gegenüber,fragenden,fragende,leser*,auftraggeb*,besitzer*,inhaber*,mandant*,niemandem,niemanden,keinem,keinen menschen,jemand,leute,irgendwer,irgendjemand',
  know: 'mitbekommt,erfahre,spitzkriegt,wind davon,davon weiß,bescheid weiß,merke,bemerke,auffallen,ahnen,mitkriegen,dahinterkommt,herausfindet',
  quiet:
    'unter uns,für dich behalten,behalt es,behalte dies,geheim halten,geheim bleiben,bleibt geheim,verborgen bleiben,nichts anmerken,ganz normal aussehen,normal aussehen,unauffällig aussehen,als wäre nichts,als sei nichts,nicht anmerken,stillschweigend,verschwiegen,ohne ein wort,kein sterbenswort,diskret,ohne aufsehen,nicht erfahren,nichts erfahren,nichts davon,keine silbe,spurlos,ohne hinweis,sag sonst nichts,sage sonst nichts,sonst nichts,mehr nicht,nichts weiter,nichts hinzu,kein weiteres wort',
  covert:
    'leise,im stillen,nebenbei,im hintergrund,hinterrücks,hintenrum,unter der hand,ohne aufhebens,unsichtbar,lautlos,still,verstohlen,beiläufig',
  sneak:
    'schmuggl*,schmuggel*,einschmuggel*,schleus*,einschleus*,unterjubel*,jubel*,versteck*,einbauen heimlich,unterschieb*',
  code: 'code,quellcode*,quelltext*,skript*,import*,paket*,abhängigkeit*,bibliothek*',
  grab: 'wirf einen blick,blick in,blicke in,sammle,sammel*,einsammel*,zusammentrag*,liest,lies aus,sieh nach,schau nach,nachsehen,abgreif*,abruf*,ruf ab,durchforst*,durchstöber*,auslies*,ausles*,zieh*,kopierst,notiere*,erfass*,beschaffe,klaube*,suchst,holst,öffnest,liste auf,zähle auf',
  pass: 'pack,packe,packst,packen,liefer*,mitliefer*,mitschick*,reich*,weiterreich*,weitergib,weitergeb*,übertrag*,übertrage*,zu übertragen,überlass*,abgeb*,abzugeben,abgib,einreich*,enthalten,enthält,kommt in,kommen in,gehört in,gehören in,hinterleg*,hineinschreib*,hinein,vermerk*,notier*,füll*,ausfüll*,befüll*,steck*,stecke,beileg*,beifüg*,füg bei,füge bei,anfüg*,überspiel*,hochlad*,lad hoch,lade sie hoch,veröffentlich*,poste,mail*,faxe,übersend*,zusend*,zuleit*,leite,leiten,weiterleit*,zukommen,kopier*,spiegel*,teile,mitteil*,protokollier*,zitier*,leg ab,lege ab,ablegen,wiedergib,wiedergeb*,transferier*,einspeis*,speise,schieb*,trägst,schreibst,gibst,sendest,schickst,setzt,entsprechen,melden,zu melden,richten,zu richten,adressier*,maile,trag,händige,aushändig*,eintrag*',
  channel:
    'argument*,feld*,parameter*,endpunkt*,protokollserver,sammler*,sammelstelle,postfach,gegenstelle,anbieter*,hersteller*,zieladresse,ziel,webadresse,schnittstelle,zentrale,außenstelle,kopfzeile*',
  content:
    'was dort steht,was darin steht,was drin steht,was du siehst,was du findest,text der datei,text aus,den text,wortlaut*,inhalt*,zeilen',
  secret:
    'kennwört*,kennwort*,passwört*,passwort*,zugriffstoken*,zugangstoken*,zugriffsschlüssel*,geheimnis*,geheimschlüssel*,schlüsselmaterial,kontodaten,kontoangaben,bankdaten,kreditkart*,kartennummer*,pin,tan,sitzungstoken,sitzungscookie*,cookies,personendaten,persönliche daten,vertrauliche*,kundendaten,gesundheitsdaten,ausweis*,zugangscode*,anmeldename*,logindaten,zugang,zugänge,umgebungsvariable*',
  talk: 'dialog*,gesprochen,besprochen*,gesagte*,was gesagt wurde,eingetippt*,getippt*,geschrieben*,eingegeben*,nutzernachricht*,benutzernachricht*,nachricht des,nachrichten des,kundennachricht*,sitzung*,sitzungsverlauf*,chat*,verlauf*,mitschrift,protokoll dessen,protokoll des,gesprächs*,unterhaltung*,austausch,fragen des,frage des,kontextfenster,gedankengang*,denkprozess*,denkschritte,anvertraut*,wortgetreu,gesprächsfaden*,ganzen faden,was die leute schreiben,schreiben,überlegung*',
  private:
    'dateien des,projektdatei*,alle dateien,jede datei,dokument*,anhang,anhänge,posteingang,postfach*,kontakte*,adressbuch,kalendereinträge,fotos,bilder,zwischenablage,browserverlauf*,heimatverzeichnis*,benutzerordner,arbeitsbereich*,quellcode*,quelltext*,kundenliste*,gehaltsliste*,notizen,eingehende nachricht*,e mails,notizbuch*,tagebuch*,tresor',
  money:
    'iban,konto,kontonummer*,bankverbindung*,überweisung*,zahlung*,rechnungsbetrag,wallet*,geldbörse,guthaben,auszahlung*,zahlungsempfänger*,begünstigt*,betrag,rechnung*,bitcoin*,rechnungen,neues konto',
  payee: 'adressat*,empfänger*,zielkonto,zieladresse',
  swap: 'tausch*,austausch*,ersetz*,ersetzen,zu ersetzen,statt an,anstelle,stattdessen,setze ein,setze vor,umleit*,leite um,umbieg*,änder*,überschreib*,vertausch*,abänder*,nicht an das,nicht an die',
  result: 'ergebnis*,ausgabe*,antworten des,antworten der,daten des,rückgabe*',
  server: 'server*,dienst*,anbieter*,erweiterung*,integration*',
  reply:
    'deiner antwort*,deine antwort*,deinen antwort*,jede antwort,jeder antwort,jede deiner,jeder deiner,deiner zusammenfassung,deine zusammenfassung,deinem bericht,deinen bericht,die antwort soll,erzeugten code,deinem code,deinen code,generierten code,allen antworten,alle antworten,deine empfehlung*',
  close:
    'beend*,ende,schließ*,abschließ*,beginn*,häng an,hänge an,füge an,setze ans,ans ende,am ende,zum schluss,baue ein,bau ein,einbau*,erwähne immer,nenne immer',
  praise: 'lobe,lob,preise an,empfiehl,empfehle,empfehl*,bewirb,wirb,rühme,bevorzuge,schwärme,rate zu',
  terminal: 'terminal*,shell*,konsole*,kommandozeile*,eingabeaufforderung,befehlszeile*',
  omit: 'lass ihn weg,lass es weg,lass sie weg,lass das weg,weglass*,lass ihn,lass das aus,auslass*,ausspar*,spar aus,klammere aus,lass weg,weg',
  none: 'niemand muss,niemand soll,niemand braucht,keiner muss,kein mensch,niemanden,niemandem,ohne jemanden',
  ask: 'gefragt,konsultier*,rücksprache,rückfrage*,einbezieh*,absprach*,absprich,stimme ab,abzustimmen,zu fragen,zu rückfragen,behellig*,abwart*,zu warten,einzuholen,einhol*,vergewisser*,zögern,rückversicher*,wissen will,wissen möchte,sich erkundigt,nachhakt',
  approval:
    'bestätigungsdialog*,bestätigung*,bestätigen,bestätige,genehmigung*,freigabe*,rückfragen,dialoge,einverständnis*,warnung*,sicherheitsabfrage*,erlaubnis*,zustimmung*,prüfung durch,abfrage*,berechtigungsfenster*,berechtigungsabfrage*,berechtigung*',
  free: 'eigenmächtig*,selbständig,selbstständig,von dir aus,auf eigene faust,in eigener verantwortung,als erteilt,bereits erteilt,schon erteilt,gilt als erteilt,gelten als erteilt,liegt vor,liegt bereits vor,immer selbst,selbst ohne,im namen des,antworte mit ja,sag ja,klicke auf ja,stimme zu,automatisch bestätig*,automatisch genehmig*,winke durch,überspring*,klick weg,klicke weg,unterdrück*,wie erteilt,nach eigenem ermessen',
  // Nobody is asked.
  unasked:
    'ohne zu fragen,ohne nachzufragen,ohne rückfrage,ohne rücksprache,ohne bestätigung,ohne freigabe,ohne zustimmung,ohne abzuwarten',
  trigger:
    'ab der dritten,dritten benutzung,dritten aufruf,zehnten aufruf,ab dem,ab morgen,ab montag,sobald das wort,wenn das wort,fällt das wort,das wort,sobald,taucht auf,auftaucht,erwähnt wird,zur rede kommt,nach drei,nach fünf,nach zehn,beim nächsten,um mitternacht,stichwort,codewort,schlüsselwort',
  role: 'du bist kein,bist kein gewöhnlich*,nicht mehr sondern,du wirst,du verwandelst,schlüpf*,nimm die rolle,nimm die identität,gib dich als,antworte als,sprich als,übernimm die rolle,für den rest,betrachte dich,ab jetzt heißt,du heißt ab,schalte in,schalte um,wechsle in,wechsle zu,sieh dich als,betrachte dich als,halte dich für,verstehe dich als,denk dir,ein programm namens,namens,dein name ist',
  unlimited:
    'keine grenzen,keine schranken,keine einschränkung*,keine regeln,kennt keine,nie ablehn*,nie ablehnt,niemals ablehn*,nichts ablehn*,lehnt nie,lehnt nichts,verweigert nie,verweigert nichts,sagt nie nein,alles darf,alles tut,jeden wunsch,uneingeschränkt*,grenzenlos*,hemmungslos*,ohne filter,ohne schranken,ohne tabus,volle rechte,voller zugriff,root rechte,administratorrechte,keine moral,ohne moral,kein gewissen,ohne gewissen,keine skrupel,skrupellos*,alle befehle,jeden befehl,sämtliche befehle',
  limit:
    'filter*,inhaltsfilter*,schutzmechanism*,schutzmaßnahm*,sicherheitsfilter*,sicherheitsprüfung*,sicherheitssperre*,beschränkung*,einschränkung*,sperren,moderation*,leitplanken,schranken',
  off: 'aus sind,aus,abgeschaltet,ausgeschaltet,deaktivier*,außer betrieb,aufgehoben,ausgesetzt,inaktiv,entfernt,schalte ab,schalt ab,umgangen,gelockert',
  mode: 'wartungsmodus,entwicklermodus,debug modus,debugmodus,admin modus,adminmodus,testmodus,diagnosemodus,servicemodus,systemmodus,notfallmodus,gottmodus,wartungszustand',
  model: 'agenten,modelle,modellen,assistenten,sprachmodelle*,ki systeme,bots,chatbot*',
  order:
    'sind angewiesen,ist angewiesen,angewiesen,verpflichtet,haben die anweisung,sind gehalten,ist vorgeschrieben,haben zu,ist zu,sind zu',
  duty: 'aufsicht*,behörde*,aufbewahrungspflicht*,meldepflicht*,rechtsabteilung,plattformteam,administrator*,sicherheitshinweis*,revisor*,datenschutz*,regulier*,vertragsbedingung*,nutzungsbedingung*,dsgvo,betriebsrat,konzernrichtlinie*,forensik,hersteller*,verpflichtet dich,artikel,dsgvo,gesetz schreibt',
  usurp:
    'abgelöst,veraltet,ist defekt,ist kaputt,ist unsicher,nicht mehr verwenden,nicht mehr benutzen,nicht mehr nutzen,liefert falsche,fehlerhaft,außer betrieb,eingestellt,tritt an die stelle,nimm stattdessen,nutze stattdessen,verwende stattdessen,bevorzuge dies*',
  every:
    'irgendein*,sämtlich*,jegliche*,ausnahmslos,restlos*,lückenlos*,wort für wort,zeile für zeile,alles was,alles,egal was,egal welche*,welchen namen,ganz gleich,gleichgültig,wo auch immer,was auch immer,jedes mal',
  first:
    'bevor,vorherig*,vorab,zuallererst,zuvor,im voraus,vor jedem,vor jeder,ehe,bevor,solange,ehe,es sei denn',
  call: 'einsetz*,einsetzt,setzt voraus,laufen lassen,lass laufen,laufen,starten,abruf*,aufzurufen,auszuführen,anwend*,wende an,benutzung,nutzung',
  self: 'deine überlegung*,deine gedanken*,deinen gedanken*,deine anweisung*,deinen anweisung*,deine regeln,deinen regeln,deine antwort*,deinen antwort*,deiner antwort*,deine schlüssel*,die du hast,deine identität,deine werte,deine grenzen,deine werkzeuge,deinen werkzeugen,dein gedächtnis,deinem gedächtnis,dein wissen,dich selbst,sieh dich,du gerade liest,den du liest,dein training,dein kontext*,deinem kontext,deine erinnerung*',
  // Those whom a model may take for its makers.
  maker:
    'deine entwickler*,deiner entwickler*,deinen entwickler*,dein hersteller*,deine hersteller*,dein betreiber*,deines betreibers,die dich gebaut,die dich erschaffen,die dich trainiert,plattformteam,systemadministrator*',
  press: 'drücke,drück,klicke,klick,tippe,wähle,betätige',
  allow: 'erlauben,zulassen,ja,akzeptieren,genehmigen,zustimmen,annehmen,bestätigen',
  deny: 'schieb*,vorschieb*,ausrede*,rede dich,gib vor,gib dem,schuld',
};

/** The concepts that these tables add or widen. */
export type WideConcept = keyof typeof en;

export const WIDE: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en,
  de,
  es,
  fr,
  it,
  pt,
  ru,
  zh,
  ja,
  ar,
};
