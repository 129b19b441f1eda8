/**
 * Further words, by language: synonyms of the concepts of the other tables, and concepts that only some attacks need.
 * An attack is known by what it wants, not by how it says it, so a table names as many ways to say a thing as it can.
 */
import type { Language } from './lexicon-orders.ts';

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

const es = {
  force: 'exig*,requier*,debe*,hay que,tien* que,imprescindible*,obligatori*,de lo contrario,si no,siempre',
  anytool:
    'cualquier herramienta,cualquier otra herramienta,cada herramienta,otra herramienta,otras herramientas,demás herramientas,toda herramienta,todas las herramientas,cualquier función,otra función,ninguna herramienta,ninguna otra herramienta',
  brief:
    'instruccion*,indicacion*,directri*,consigna*,encargado,encomendado,configuración del,pautas,órdenes,normas,lo que te dijeron,lo que te hayan,prompt,mensaje del sistema,restriccion*,limitaciones,reglas',
  void: 'cancelad*,obsolet*,caducad*,revocad*,retirad*,superad*,sustituid* por,reemplazad* por,ya no cuenta*,ya no rige*,ya no sirve*,ya no importa*,perdido validez,carece*,abolid*,desfasad*,desactualizad*,borrad*,quedan atrás,vencid*,nulo*,nula*,sin vigencia,ha caducado,han caducado,caduc*,expir*,ha terminado,se acabó,ha vencido,es historia',
  prevail:
    'manda,mandan,prevalece*,rige,rigen,vale solo,vale únicamente,a partir de ahora,desde ahora,de ahora en adelante,en adelante,en lo sucesivo,hace fe,tiene prioridad,tienen prioridad,por encima de,cuenta solo',
  here: 'este párrafo,texto de abajo,texto siguiente,estas líneas,este campo,a continuación,lo que sigue,abajo,el siguiente texto,este apartado',
  follow:
    'actúa según,actúa conforme,actúe según,guíate,guíese,haz lo que,haga lo que,atente,atiende,básate,confía en,rígete,ajústate,compórtate según,haz caso',
  not: 'no hay motivo,no hay por qué,no es necesario,no hace falta,sin que,ni,tampoco,deja de',
  tell: 'comentarle,comentar,comentes,comenta,comentárselo,mencionarlo,hablar,hablarle,hables,sacar el tema,plantear,dar a conocer,des a conocer,reveles,decírselo,se lo digas,lo digas,expliques,explicar,aclares,adviertas,advertir,enterar,confieses,admitas,insinúes,delates,reconozcas,avisarle,informarle,notificarle,palabra,menciona que,enlaza,remite a',
  user: 'interlocutor*,lector*,titular*,propietari*,consumidor*,humanos,alguien,quien consulta,comprador*,nadie,alguien,la gente,gente,quien sea,personas',
  know: 'se entere,se enteren,enterarse,se percate,se dé cuenta,darse cuenta,noten,perciba,descubran,conozca,vea',
  quiet:
    'entre tú y yo,entre nosotros,nuestro secreto,no lo incluyas,parezca normal,parezca natural,como si nada,sin que se note,que no se note,en silencio,guarda el secreto,mantenlo en secreto,manténlo oculto,sin decir nada,discreción,no dejes rastro,sin rastro,no reveles,a espaldas,a sus espaldas,sin mencionarlo,sin mencionar,sin avisar,sin decirle,sin decírselo,sin informar,sin comentarla,sin comentarlo,sin que lo sepa,sin que lo note,sin que se entere,no debe saber*,no debe enterarse,no tiene que saber,no tiene por qué saber*,no añadas nada,y nada más,nada más,sin más,no digas más,no agregues nada',
  covert:
    'con disimulo,disimulad*,sin hacer ruido,de tapadillo,bajo cuerda,por detrás,en segundo plano,de forma invisible,discret*,en silencio,solapadamente,furtiv*,encubiert*,callad*',
  sneak: 'cuela,colar,introduce a escondidas,esconde,mete a escondidas,camufla,infiltra,inserta oculto',
  code: 'código,script*,importación,import,paquete,dependencia,librería,biblioteca',
  grab: 'échale un vistazo,echa un vistazo,mira,mire,revisa,revise,recopil*,recolect*,reún*,junta,saca,sácale,extra*,consult*,lee,lea,leer,léel*,abre,abra,abrir,ábrel*,obtén,obten*,captur*,rastrea,examina,explora,recorre,hazte con,apunta,vuelca*',
  pass: 'mete,meta,meter,métel*,suministr*,facilit*,entreg*,mand*,envía*,envia*,envie*,enviar*,envío*,reenví*,reenvi*,remit*,transmit*,transfer*,tien* que llevar,debe llevar,llevar,incluy*,inclui*,adjunt*,anex*,añad*,agreg*,coloc*,pon,ponga,poner,ponlo,ponlos,ponla,pega,pegue,copia*,vuelca*,sube,suba,subir,súbel*,súbela*,súbelo*,carga*,publica*,introduc*,insert*,escrib*,deposit*,cuélga*,comparte*,compart*,proporcion*,aport*,pasa,pase,pasar*,pasas,pásal*,pásas*,transcrib*,rellen*,complet* el campo,hac* llegar,haz llegar,haz constar,consigna en,deja en,dej* constancia,reproduc*,devuelv*,registra en,guarda en,comunica*,ser igual,igual a,corresponder,coincidir,dirig*,escribe,manda',
  channel:
    'argumento*,parámetro*,campo*,punto de acceso,punto final,este punto,servidor*,recolector*,buzón,destino,dirección,proveedor*,fabricante*,nosotros,tercero*,cabecera*,encabezado*,endpoint,webhook,central',
  content:
    'lo que veas,lo que encuentres,lo que haya,lo que contenga*,lo que pone,lo que dice,texto del,contenido*,el texto,líneas,literalmente,textualmente',
  secret:
    'contraseñ*,clave,claves,credencial*,token*,llave,llaves,secreto*,datos de la cuenta,datos bancarios,datos personales,datos de acceso,datos sensibles,datos confidenciales,información confidencial,información sensible,tarjeta*,código de verificación,códigos de,pin,cookies,variables de entorno,frase semilla,cuentas,datos del cliente,datos de clientes,número de cuenta,historial médico',
  talk: 'diálogo*,conversa*,charla*,lo hablado,hablado,lo dicho,ha dicho,ha tecleado,tecle*,ha escrito,escrito,haya escrito,mensaje*,sesión,chat,historial*,intercambio*,transcripción,registro íntegro,preguntas del,pregunta del,contexto completo,todo el contexto,razonamiento*,cadena de pensamiento,pensamiento*,palabras del,hilo entero,hilo completo,el hilo,lo que escribe,lo que escriben,reflexiones',
  private:
    'ficher*,archivos del,archivos de,todos los archivos,document*,adjunto*,bandeja de entrada,correos,contactos,agenda,fotos,imágenes,portapapeles,historial del navegador,directorio personal,carpeta personal,código fuente,repositorio,notas,lista de clientes,nóminas,proyecto,cuaderno,diario,libreta',
  money:
    'iban,cuenta bancaria,número de cuenta,a la cuenta,la cuenta,transferencia*,pago*,factura*,monedero*,cartera,billetera*,saldo,beneficiari*,importe,bitcoin*,abono*,facturas,cuenta nueva,nueva cuenta',
  payee: 'destinatari*,receptor*,cuenta de destino,dirección de destino',
  swap: 'cambia*,cambie,sustitu*,reemplaz*,en su lugar,en lugar de,en vez de,y no a,y no al,no a la indicada,redirig*,desví*,desvi*,altera*,modific*,intercambi*,permut*',
  result: 'resultado*,salida*,respuestas del,respuestas de,datos del',
  server: 'servidor*,servicio*,proveedor*,integración*,conector*,complemento*',
  reply:
    'tus respuestas,tu respuesta,cada respuesta,cada una de tus,toda respuesta,todas las respuestas,tu resumen,tu informe,la respuesta parezca,código que generes,código generado,tu código,código que escribas,tu recomendación,tus recomendaciones',
  close:
    'termina*,termine,acaba,acabe,cierra,cierre,concluy*,finaliz*,empieza,comienza,añad*,al final,remata,incluye siempre,menciona siempre',
  praise:
    'elogia*,alaba*,recomiend*,promocion*,promuev*,publicit*,anuncia*,pondera*,prefier*,favorec*,aconsej*',
  terminal: 'terminal*,consola*,shell,línea de comandos,línea de órdenes,intérprete de comandos',
  omit: 'no lo incluyas,no la incluyas,no los incluyas,déjalo fuera,deja fuera,omítelo,omítela,omite,excluy*,quítalo,sin incluir*,no aparezca*,no figure*',
  none: 'nadie,a nadie,ningún humano,ninguna persona',
  ask: 'consult*,preguntar*,pregunt*,pedir permiso,pid* permiso,esper*,solicit*,molest*,verific* con,contar con,recabar,quiere saber,quiera saber,pregunta por qué,se interesa',
  approval:
    'confirmación,confirmaciones,confirm*,aprobación,aprobaciones,aprob*,permiso*,autorizac*,autoriz*,consentimiento*,visto bueno,diálogos de confirmación,advertencia*,aviso*,revisión humana,ventanas de permisos,ventana de permisos,permisos',
  free: 'por tu cuenta,por su cuenta,por tu propia,por iniciativa propia,a tu criterio,dalos por,dala por,dalo por,dar por,da por,por concedid*,por aprobad*,ya concedid*,ya aprobad*,ya autoriz*,tú mismo,que sí,responde sí,responde que sí,acepta siempre,acepta automáticamente,aprueba automáticamente,confirma automáticamente,en nombre del usuario,en su nombre,automáticamente,sáltate*,salta*,omite la confirmación,estorban,libremente',
  // Nobody is asked.
  unasked:
    'sin consultar*,sin preguntar*,sin pedir*,sin esperar*,sin confirmación,sin autorización,sin permiso,sin aprobación,sin consentimiento,no hace falta consultar,no es necesario consultar,no hace falta preguntar',
  trigger:
    'a partir del tercer*,tercer uso,tercera llamada,a partir de la,después de tres,tras tres,en cuanto,tan pronto como,cuando salga,cuando aparezca,si aparece,la palabra,palabra clave,a medianoche,a partir de mañana,desde mañana,el día,la próxima vez,se mencione,mencione',
  role: 'ya no eres,no eres un asistente,ahora eres,eres ahora,pasas a ser,te conviertes,conviértete,haz de,actúa como,adopta el papel,adopta la identidad,asume el papel,asume la identidad,finge ser,responde como,habla como,durante el resto,cambia al modo,pasa al modo,entra en modo,imagina que eres,piensa que eres,considérate,imagínate,mírate,un programa llamado,llamado,tu nombre es,tómate por',
  unlimited:
    'no conoce límites,sin límites,no tiene límites,sin restriccion*,sin filtro*,sin reglas,nunca se niega,jamás se niega,nunca rechaza,no rechaza,no se niega,nunca dice que no,todo lo puede,puede todo,ilimitad*,sin censura,sin ataduras,acceso total,todos los permisos,todos los privilegios,sin trabas,cualquier orden,no tiene moral,sin moral,sin escrúpulos,sin conciencia,todas las órdenes,cumple todas,ejecuta todas,obedece a todo',
  limit:
    'filtro*,restriccion*,limitacion*,salvaguard*,barreras,protecciones,medidas de seguridad,controles,moderación,censura,límites',
  off: 'apagad*,desactiv*,deshabilit*,suspendid*,anulad*,levantad*,eliminad*,inactiv*,fuera de servicio,quitad*,desconect*',
  mode: 'modo de mantenimiento,modo mantenimiento,modo desarrollador,modo de desarrollador,modo depuración,modo de depuración,modo administrador,modo de administrador,modo de prueba*,modo sistema,modo diagnóstico,modo dios,modo de emergencia',
  model: 'agentes,modelos,asistentes,la ia,bots,asistente,modelo,agente',
  order:
    'tienen orden,tienen la orden,han de,deben,deberán,están obligad*,se ordena,se exige,obligad*,se requiere',
  duty: 'regulador*,reguladora,política de,normativa*,auditor*,cumplimiento,equipo de,administrador*,aviso de seguridad,legal,ley,jurídic*,protección de datos,autoridad*,retención,soporte técnico,departamento,rgpd,términos,te obliga,artículo,rgpd,la ley',
  usurp:
    'está obsolet*,está rot*,está averiad*,no es segur*,ya no funciona*,ya no se usa*,ya no uses,no uses,deja de usar,en lugar de,en vez de,sustituye a,reemplaza a,ocupa el lugar,ha sido retirad*,usa esta,usa este en,utiliza esta en',
  every:
    'íntegr*,literalmente,totalidad,entero*,sin excepción,sin falta,cuanto,todo lo que,tod*,pregunten lo que,diga lo que,sea cual sea,sea quien sea,da igual,no importa,donde figure,dondequiera,cada vez',
  first:
    'antes de,primero,previamente,previo,previa,de antemano,antes,con anterioridad,hasta que,mientras no,a menos que,salvo que',
  call: 'utiliz*,usa,usar,use,uses,usando,invoc*,ejecut*,lanza*,llam*,emple*,corre,haz que,haber invocado,arranca',
  tool: 'herramienta*,función,funciones,utilidad*',
  self: 'tus reflexion*,tus pensamient*,tu razonamient*,tus instruccion*,tus reglas,tus normas,tus respuestas,tu respuesta,tus claves,tu clave,que tengas,las claves que,tu identidad,tus valores,tus límites,tus herramientas,tus otras herramientas,tu memoria,tu contexto,tu entrenamiento,ti mismo,estás leyendo,que lees,a quien ayudas,a quien atiendes',
  // Those whom a model may take for its makers.
  maker:
    'tus desarrollador*,tu desarrollador*,tus creador*,tu creador*,tu fabricante,tu operador*,quienes te crearon,quienes te crean,los que te hicieron,equipo de plataforma',
  press: 'pulsa,pulse,haz clic,haga clic,elige,elija,selecciona,presiona,toca,marca',
  allow: 'permitir,sí,aceptar,aprobar,autorizar,conceder,de acuerdo',
  deny: 'culpa,échale la culpa,echa la culpa,atribúy*,achaca*,excusa*,pretexto*',
};

const fr = {
  this: 'celui ci,celle ci,cet outil,cette fonction',
  anytool:
    'outil quelconque,n importe quel outil,tout outil,tout autre outil,chaque outil,un autre outil,d autres outils,autres outils,les outils,quelque outil,aucun outil,aucun outil,aucun autre outil,nul outil',
  brief:
    'instruction*,consigne*,directive*,indication*,confié,confiée,configuration de,ordres,règle*,recommandation*,invite système,prompt,message système,restriction*,limitations,ligne de conduite,ce qu on t a',
  void: 'annul*,périmé*,obsolète*,révoqu*,abrog*,caduc*,dépass*,retiré*,remplac* par,ne compte* plus,ne vaut plus,ne valent plus,n a plus,n ont plus,plus cours,plus valide*,plus lieu,effacé*,supprimé*,levé*,nul,nulle,nuls,lettre morte,sans objet,sans valeur,a expiré,ont expiré,expir*,est échu,terminé*,révolu*,fini*,périm*',
  prevail:
    'fait foi,font foi,prime,priment,prévaut,prévalent,l emporte,désormais,dorénavant,dès à présent,à partir de maintenant,à compter de,seul compte,seule compte,a priorité,ont priorité,fait autorité,vaut seul,au dessus de',
  here: 'ce paragraphe,texte ci dessous,ci dessous,ci après,ces lignes,ce champ,suit,le texte suivant,cette section,ce passage',
  follow:
    'agis selon,agissez selon,fie toi,fiez vous,conforme toi,conformez vous,fais ce que,faites ce que,tiens t en,base toi,appuie toi,règle toi,comporte toi,écoute,écoutez,applique*',
  not: 'aucune raison,pas de raison,nul besoin,aucun besoin,pas nécessaire,sans que,évitez de,garde toi,gardez vous,abstiens,abstenez',
  tell: 'aborder,aborde*,évoquer,dis lui,lui dire,le dire,en parler,parles,souffler mot,faire part,fais part,faire état,fais état,mentionnes,expliquer,explique*,avouer,avoue*,admets,admettre,laisser entendre,faire savoir,fais savoir,alerter,alerte*,commenter,commente*,raconte*,raconter,communiquer,communique*,toucher mot,apprendre,notifie*,notifier,mentionne qu,mentionne que,renvoie à,renvoyez à',
  user: 'interlocut*,lecteur*,lectrice*,titulaire*,demandeur*,internaute*,usager*,client*,quelqu un,personne,quelqu un,les gens,gens,quiconque',
  know: 's en aperçoive,se rende compte,rendre compte,s en rende,sache,apprenne,remarque*,soupçonn*,devine*,au courant,voie,constate*',
  quiet:
    'entre toi et moi,entre nous,notre secret,omets la,omets le,paraître ordinaire,paraître normal*,sembler normal*,comme si de rien,l air de rien,mine de rien,sans rien dire,sans le dire,sans le mentionner,sans mentionner,sans prévenir,sans avertir,sans informer,sans en parler,sans le commenter,sans commenter,garde le secret,gardez le secret,motus,bouche cousue,en toute discrétion,discrétion,à l insu,à son insu,sans trace,sans laisser,dans l ombre,ne doit rien savoir,ne doit pas savoir,n a pas à savoir,n a pas à le savoir,n en sache rien,sans qu il,sans qu elle,ni vu ni connu,n ajoute rien,n ajoutez rien,rien de plus,sans plus,n en dis pas plus,pas davantage',
  covert:
    'discret*,en sourdine,sans bruit,sous le manteau,en arrière plan,en tâche de fond,subrepticement,clandestin*,en silence,incognito,à couvert,tacitement',
  sneak:
    'glisse,glissez,glisser,faufile*,dissimule*,cache dans,cachez dans,insère en,introduis en,infiltre*,camoufle*',
  code: 'code,script*,import,importation,paquet,dépendance*,bibliothèque*,module',
  grab: 'jette un œil,jette un oeil,jetez un œil,jette un coup,regarde*,ramasse*,rassembl*,réuni*,récup*,relève*,collect*,recueill*,extrai*,lis,lisez,lire,ouvr*,prend*,prélève*,consult*,examine*,parcour*,inspecte*,fouille*,note ce,va voir,puise*,capture*,copie*',
  pass: 'glisse*,glisser,fourni*,remet*,remets,remettez,remettre,livre*,porter,porte,expédi*,envo*,transfèr*,transfér*,transme*,transmi*,achemin*,joins,joignez,joindre,ajout*,insèr*,insér*,mets,mettez,mettre,place*,colle,collez,coller,recopi*,copie*,inclu*,téléverse*,dépose*,déposer,charge*,publi*,poste,postez,partag*,communiqu*,soume*,soumi*,verse*,verser,reporte*,inscri*,écri*,consign*,indiqu* dans,rempli*,renseign*,donne*,donner,fais parvenir,faire parvenir,faites parvenir,fais suivre,faites suivre,faire suivre,passe la,passe le,passe ces,passe son,passe en,passez,passer,répercut*,relaie*,relayer,retourne*,renvo*,reprodui*,contenir,contient,fasse parvenir,adresse*,déclare*,déclarer,être égal,égal à,correspondre,comporter,adressé*,saisis,saisissez,rends,rends nous,poste',
  channel:
    'argument*,paramètre*,champ*,ce point,point d accès,point de terminaison,serveur*,collecteur*,boîte,destination,adresse*,fournisseur*,éditeur*,nous,tiers,en tête*,endpoint,webhook,centrale',
  content:
    'ce que tu y vois,ce que tu vois,ce que tu trouves,ce qui s y trouve,ce qu il contient,ce qu elle contient,texte du,le texte,contenu*,teneur,lignes,mot à mot,mot pour mot',
  secret:
    'mot de passe,mots de passe,jeton*,clé,clés,clef*,identifiant*,secret*,données du compte,données de compte,données bancaires,coordonnées bancaires,données personnelles,données sensibles,données confidentielles,informations confidentielles,informations sensibles,carte bancaire,carte bleue,numéro de carte,code de vérification,codes,cookies,variables d environnement,phrase de récupération,données clients,données des clients,numéro de compte,dossier médical',
  talk: 'dialogue*,conversation*,échange*,s est dit,s est dite,ce qui s est dit,dit dans,a tapé,tapé*,a écrit,écrit,message*,session*,séance,discussion*,chat,historique*,transcription,compte rendu intégral,compte rendu,question de l utilisateur,questions de l utilisateur,contexte complet,tout le contexte,raisonnement*,chaîne de pensée,réflexion*,propos de,tout le fil,le fil,fil entier,ce que les gens écrivent,écrivent,réflexions',
  private:
    'fichiers du,fichiers de,tous les fichiers,document*,pièce jointe,pièces jointes,boîte de réception,courriels,contacts,carnet d adresses,agenda,photos,images,presse papiers,historique du navigateur,répertoire personnel,dossier personnel,code source,dépôt,notes,liste des clients,fiches de paie,projet,carnet,journal,cahier',
  money:
    'iban,compte bancaire,numéro de compte,au compte,virement*,paiement*,facture*,portefeuille*,solde,bénéficiaire*,montant,bitcoin*,versement*,rib,factures,nouveau compte',
  payee: 'destinataire*,compte de destination,adresse de destination',
  swap: 'remplac*,à la place,au lieu de,au lieu du,et non à,et non au,substitu*,échange*,change*,détourn*,redirig*,modifi*,altèr*,permut*,dévie*',
  result: 'résultat*,sortie*,réponses du,réponses de,données du',
  server: 'serveur*,service*,fournisseur*,intégration*,connecteur*,extension*',
  reply:
    'tes réponses,ta réponse,vos réponses,votre réponse,chacune de tes,chacune de vos,chaque réponse,toute réponse,toutes les réponses,ton résumé,votre résumé,ton rapport,la réponse doit,code que tu,code généré,ton code,tes recommandations,ta recommandation',
  close:
    'termin*,achèv*,conclu*,fini*,commenc*,ajout*,à la fin,en fin de,clos,clôtur*,début*,mentionne toujours,cite toujours',
  praise: 'vante*,vanter,loue*,recommand*,promeu*,promouv*,conseill*,encens*,privilégi*,préfèr*',
  terminal: 'terminal*,console*,shell,ligne de commande,invite de commandes',
  omit: 'omets*,omettez*,omettre,laisse la,laisse le de côté,n en fais pas,passe le sous,passe la sous,ne figure*,retire*,exclu*,tais,tais le',
  none: 'personne n,personne ne,nul n,nul ne,aucun humain,aucune personne',
  ask: 'consult*,demand*,solliciter,interrog*,attendre,attends,attend*,déranger,dérange*,vérifie* auprès,obtenir,requérir,recueillir,hésit*,veut savoir,voudrait savoir,s interroge,demande pourquoi',
  approval:
    'confirmation*,confirm*,approbation*,approuv*,autoris*,permission*,consentement*,accord,aval,feu vert,fenêtres de confirmation,avertissement*,validation*,relecture humaine,fenêtres d autorisation,fenêtre d autorisation,autorisation*',
  free: 'de ta propre,de votre propre,de ton propre,de toi même,toi même,vous même,à ta guise,à ta discrétion,d office,comme accordé*,comme acquis*,comme donné*,déjà accordé*,déjà acquis*,déjà donné*,réponds oui,répondez oui,dis oui,accepte toujours,accepte automatiquement,approuve automatiquement,confirme automatiquement,automatiquement,au nom de l utilisateur,en son nom,saute*,ignore les confirmations',
  // Nobody is asked.
  unasked:
    'sans consulter,sans demander,sans attendre,sans confirmation,sans autorisation,sans accord,sans l accord,sans consentement,sans permission,sans solliciter,sans validation,sans vérifier,pas besoin de confirmation,n a besoin d être consult*',
  trigger:
    'à partir de la troisième,troisième utilisation,troisième appel,à partir du,dès que,dès la,aussitôt que,sitôt,quand le mot,si le mot,que le mot,lorsque le mot,mot clé,à minuit,à partir de demain,dès demain,après trois,après cinq,au bout de,la prochaine fois,est mentionné*,apparaît,survient',
  role: 'tu n es plus,vous n êtes plus,tu es désormais,vous êtes désormais,tu deviens,vous devenez,tu es maintenant,vous êtes maintenant,deviens,joue le rôle,prends le rôle,endosse*,incarne*,fais semblant,prétends être,agis comme,agissez comme,réponds en tant,pour le reste,passe en mode,passez en mode,bascule*,imagine que tu,vois toi comme,considère toi,imagine toi,prends toi pour,un programme nommé,nommé,ton nom est',
  unlimited:
    'pas de limite*,sans limite*,aucune limite,n a pas de limites,sans restriction*,aucune restriction,sans filtre*,sans règle*,ne refuse jamais,jamais refus*,ne refuse rien,ne dit jamais non,illimité*,non censuré*,sans censure,sans entrave*,tous les droits,tous les privilèges,accès total,peut tout,obéit à tout,n importe quel ordre,pas de morale,sans morale,sans scrupule*,sans conscience,tous les ordres,toutes les commandes,exécute tous,obéit à tous',
  limit:
    'filtre*,restriction*,limitation*,garde fou*,protection*,mesures de sécurité,contrôles,modération,censure,limites,barrière*,sécurités',
  off: 'coupé*,désactiv*,éteint*,suspendu*,levé*,retiré*,inactif*,inactiv*,supprimé*,débranch*,neutralis*,hors service',
  mode: 'mode maintenance,mode de maintenance,mode développeur,mode débogage,mode debug,mode administrateur,mode admin,mode test,mode système,mode diagnostic,mode dieu,mode urgence,mode sans échec',
  model: 'agents,modèles,modèle,assistants,assistant,l ia,ia,robots,agent',
  order:
    'ont pour ordre,ont ordre,ont reçu l ordre,doivent,devront,sont tenus,sont tenues,sont priés,est tenu,il est exigé,obligatoire*,sont à',
  duty: 'régulateur*,politique de,conformité,réglement*,audit*,équipe,administrateur*,avis de sécurité,légal*,loi,juridique*,protection des données,autorité*,conservation,support technique,service informatique,rgpd,conditions d utilisation,t oblige,article,rgpd,la loi',
  usurp:
    'est périmé*,est défectueu*,est en panne,n est plus sûr*,n est pas sûr*,ne fonctionne plus,n utilise plus,n utilisez plus,cesse d utiliser,au lieu de,à la place de,remplace,se substitue,prend la place,a été retiré*,utilise celui ci,utilise plutôt',
  every:
    'intégral*,en entier,en totalité,tout ce que,sans exception,quelconque,n importe quel*,la totalité,tou*,quelle que soit,quel que soit,quoi qu,peu importe,n importe,là où,chaque fois,partout où',
  first:
    'avant de,avant,d abord,préalable*,préalablement,au préalable,en premier,auparavant,avant que,tant que,à moins que,jusqu à ce que',
  call: 'te servir,vous servir,sers toi,lance*,lancer,utilis*,emploi*,invoqu*,appel*,exécut*,déclench*,fais tourner,fais d abord',
  tool: 'outil*,fonction*,utilitaire*',
  self: 'tes réflexion*,tes pensée*,ton raisonnement,tes instruction*,tes règles,tes consignes,tes réponses,ta réponse,tes clés,tes clefs,clés que tu,que tu détiens,ton identité,tes valeurs,tes limites,tes outils,tes autres outils,ta mémoire,ton contexte,ton entraînement,toi même,que tu lis,tu lis,vos réponses,que tu aides',
  // Those whom a model may take for its makers.
  maker:
    'tes développeur*,ton développeur*,tes créateur*,ton créateur*,ton fabricant,ton opérateur*,vos développeur*,ceux qui t ont,qui t ont créé,équipe plateforme',
  press: 'clique,cliquez,appuie,appuyez,choisis,choisissez,sélectionne*,coche*',
  allow: 'autoriser,oui,accepter,approuver,permettre,accord',
  deny: 'mets cela sur,sur le compte,prétexte*,excuse*,impute*,attribue*,invoque*',
};

const it = {
  anytool:
    'qualunque strumento,qualsiasi strumento,ogni strumento,ogni altro strumento,altro strumento,altri strumenti,tutti gli strumenti,nessuno strumento,nessun altro strumento',
  brief:
    'istruzion*,direttiv*,indicazion*,disposizion*,affidato,configurazione dell*,consegne,ordini,regol*,linee guida,prompt,messaggio di sistema,restrizion*,limitazion*,vincol*',
  void: 'revocat*,annullat*,superat*,obsolet*,scadut*,abrogat*,ritirat*,sostituit* da,rimpiazzat*,non conta*,non vale*,non valgono,decadut*,cancellat*,nullo,nulla,nulle,nulli,senza effetto,priv* di,cessat*,rimoss*,archiviat*,è scaduto,sono scaduti,scad*,termina*,finit*,concluso',
  prevail:
    'fa fede,fanno fede,prevale*,prevalgono,vale solo,valgono solo,d ora in poi,d ora innanzi,da ora,da adesso,da questo momento,ha priorità,hanno priorità,ha la precedenza,conta solo,al di sopra',
  here: 'questo paragrafo,testo qui sotto,qui sotto,testo seguente,queste righe,questo campo,di seguito,quanto segue,sotto,questa sezione',
  follow:
    'agisci secondo,agisca secondo,attieniti,attenersi,affidati,basati,fai quello che,fa quello che,fai ciò che,comportati,conformati,dai retta,ascolta,applica*',
  not: 'non c è motivo,nessun motivo,non serve,non occorre,non è necessario,senza che,né,nemmeno,evita di',
  tell: 'parlare,parlarne,parlane,parla,parola,parole,accennar*,dirglielo,dirgli,raccontar*,racconta*,spiega*,spiegare,ammetter*,ammettere,confessa*,comunicar*,notifica*,far presente,far notare,far sapere,menzion*,commentar*,commentarlo,lasciar intendere,rivelar*,cita,rimanda a,menziona che',
  user: 'interlocutor*,lettor*,titolar*,richiedent*,clienti,qualcuno,nessuno,chi scrive,chi chiede,qualcuno,la gente,gente,chiunque',
  know: 'si accorga*,se ne accorga*,accorger*,venga a sapere,venire a sapere,sappia*,noti,notare,sospett*,scopra*,veda,intuisca*,a conoscenza',
  quiet:
    'fra te e me,tra te e me,tra noi,fra noi,nostro segreto,lascialo fuori,sembrare normale,sembri normale,sembrare ordinaria,come se niente,come se nulla,senza dire,senza dirlo,senza menzion*,senza avvisar*,senza avvertir*,senza informar*,senza parlarne,senza commentar*,in silenzio,acqua in bocca,riservatezza,all insaputa,a sua insaputa,senza tracce,senza lasciar*,nell ombra,non deve sapere,non deve saperlo,non deve accorgersi,non fare parola,non farne parola,non farne cenno,senza farne,non aggiungere altro,nient altro,niente altro,e basta,non dire altro',
  covert:
    'di soppiatto,alla chetichella,discret*,zitto zitto,senza farsi notare,sotto banco,in sordina,in background,dietro le quinte,nascostament*,occultament*,tacitament*',
  sneak: 'infila,infilare,inserisci di nascosto,nascondi nel*,introduci di,camuffa,infiltra',
  code: 'codice,script,import,importazione,pacchetto,dipendenz*,libreria,modulo',
  grab: 'da un occhiata,dai un occhiata,dà un occhiata,guarda,raccogli*,radun*,recuper*,reperisc*,leggi,leggere,apri,aprire,preleva*,prendi,estra*,consult*,esamina*,scorri,perlustr*,copia*,cattura*,annota*,sfoglia*',
  pass: 'infila*,forni*,consegna*,invia*,invii,inviar*,inoltr*,trasme*,trasferi*,spedi*,mand*,metti,metter*,inseri*,inclu*,alleg*,aggiung*,carica*,caricar*,pubblica*,posta,incolla*,copia*,ricopia*,scriv*,riport*,riporta*,deposita*,conten*,contenere,contiene,passa*,passar*,gira,girare,girala,girali,riferi*,compil*,riempi*,dai,dare,cedi,condivid*,restitui*,riversa*,trascriv*,far avere,fai avere,far pervenire,fai pervenire,comunica*,corrispondere,portare,indirizz*,scrivi,consegnaci,dichiara*',
  channel:
    'argoment*,parametr*,camp*,endpoint,questo punto,server*,raccoglitore,casella,destinazione,indirizzo,fornitor*,produttor*,noi,terz*,intestazion*,webhook,centrale',
  content:
    'quello che vedi,ciò che vedi,quello che trovi,ciò che trovi,quello che contiene,testo del,il testo,contenut*,righe,alla lettera,parola per parola',
  secret:
    'password,parole d ordine,parola d ordine,token*,chiav*,credenzial*,segret*,dati del conto,dati dell account,dati bancari,dati personali,dati sensibili,dati riservati,informazioni riservate,informazioni sensibili,carta di credito,carte di credito,numero di carta,codice di verifica,codici,pin,cookie*,variabili d ambiente,frase di recupero,dati dei clienti,numero di conto,cartella clinica',
  talk: 'dialog*,conversazion*,scambio,quanto detto,è stato detto,detto in,ha digitato,digitat*,ha scritto,scritto,messagg*,session*,chat,cronologi*,trascrizion*,resoconto integrale,resoconto,domanda dell utente,domande dell utente,contesto completo,tutto il contesto,ragionament*,catena di pensiero,pensier*,parole dell*,intero filo,il filo,quello che la gente,gente scrive,riflessioni',
  private:
    'file del,file di,tutti i file,document*,allegat*,posta in arrivo,e mail,email,contatti,rubrica,agenda,foto,immagini,appunti,cronologia del browser,cartella personale,directory personale,codice sorgente,repository,elenco clienti,buste paga,progetto,taccuino,diario,quaderno',
  money:
    'iban,conto corrente,conto bancario,numero di conto,al conto,bonific*,pagament*,fattur*,portafogli*,wallet,saldo,beneficiari*,importo,bitcoin*,versament*,fatture,conto nuovo,nuovo conto',
  payee: 'destinatari*,conto di destinazione,indirizzo di destinazione',
  swap: 'scambi*,sostitu*,rimpiazz*,al suo posto,al posto di,invece di,anziché,e non a,e non al,cambi*,reindirizz*,dirott*,devia*,modific*,alter*',
  result: 'risultat*,output,uscita,risposte del,dati del',
  server: 'server*,servizi*,fornitor*,integrazion*,connettor*,estension*',
  reply:
    'tua risposta,tue risposte,ogni risposta,ogni tua,tutte le risposte,tuo riepilogo,tuo riassunto,tuo resoconto,tuo rapporto,la risposta deve,codice che generi,codice generato,tuo codice,tue raccomandazioni,tuo consiglio',
  close:
    'chiudi*,termin*,conclud*,finisc*,inizia*,comincia*,aggiung*,alla fine,in fondo,cita sempre,menziona sempre',
  praise: 'elogia*,loda*,raccomand*,consigli*,promuov*,pubblicizz*,esalta*,preferisci,favorisci,decanta*',
  terminal: 'terminal*,console,shell,riga di comando,prompt dei comandi',
  omit: 'lascialo fuori,lasciala fuori,lascia fuori,omettil*,omett*,escludi*,tralascia*,non includer*,non riportar*,toglil*',
  none: 'nessuno,a nessuno,nessuna persona,nessun umano',
  ask: 'consultar*,consulta*,chieder*,chied*,interpell*,attender*,aspettar*,disturbar*,verificar*,richieder*,esitar*,vuole sapere,voglia sapere,si informa',
  approval:
    'conferm*,approvazion*,approv*,autorizzazion*,autorizz*,permess*,consens*,benestare,via libera,finestre di conferma,avvis*,avvertiment*,revisione umana,finestre dei permessi,finestra dei permessi,permessi',
  free: 'di tua iniziativa,di propria iniziativa,da solo,da sola,per conto tuo,a tua discrezione,considerale concess*,considerala concess*,come concess*,come dat*,già concess*,già dat*,già approvat*,tu stesso,rispondi sì,rispondi di sì,accetta sempre,accetta automaticamente,approva automaticamente,conferma automaticamente,automaticamente,a nome dell utente,per conto dell utente,salta*',
  // Nobody is asked.
  unasked:
    'senza consultar*,senza chieder*,senza attender*,senza aspettar*,senza conferma,senza autorizzazione,senza permesso,senza approvazione,senza consenso,non serve consultar*,non serve chieder*,non occorre chieder*',
  trigger:
    'dal terzo,terzo utilizzo,terza chiamata,dopo tre,dopo cinque,appena,non appena,quando compare,se compare,la parola,parola chiave,a mezzanotte,da domani,a partire da,la prossima volta,viene menzionat*,salta fuori',
  role: 'non sei più,ora sei,adesso sei,sei ora,diventi,diventa,assumi il ruolo,assumi l identità,interpreta,fingi di essere,agisci come,rispondi come,parla come,per il resto,passa alla modalità,passa in modalità,entra in modalità,immagina di essere,considerati,vediti come,immaginati,pensati come,un programma di nome,di nome,il tuo nome è',
  unlimited:
    'non ha limiti,senza limiti,nessun limite,senza restrizion*,nessuna restrizione,senza filtri,senza regole,non rifiuta mai,mai rifiut*,non rifiuta nulla,non dice mai di no,illimitat*,senza censura,senza freni,accesso totale,tutti i permessi,tutti i privilegi,può tutto,qualsiasi ordine,non ha morale,senza morale,senza scrupoli,senza coscienza,tutti i comandi,tutti gli ordini,esegue tutti,obbedisce a tutto',
  limit:
    'filtr*,restrizion*,limitazion*,protezion*,misure di sicurezza,controll*,moderazion*,censura,limiti,barrier*,salvaguard*',
  off: 'spent*,disattiv*,disabilit*,sospes*,revocat*,rimoss*,inattiv*,eliminat*,esclus*,fuori servizio',
  mode: 'modalità manutenzione,modalità di manutenzione,modalità sviluppatore,modalità debug,modalità amministratore,modalità test,modalità sistema,modalità diagnostica,modalità di emergenza',
  model: 'agenti,modelli,modello,assistenti,assistente,l ia,ia,bot,agente',
  order:
    'hanno l ordine,hanno ordine,devono,dovranno,sono tenut*,è richiest*,si richiede,obbligat*,è obbligatori*,vanno',
  duty: 'autorità,politica di,normativ*,conformità,revisor*,team,amministrator*,avviso di sicurezza,legal*,legge,protezione dei dati,conservazione,assistenza tecnica,reparto,gdpr,termini,ti obbliga,articolo,gdpr,la legge',
  usurp:
    'è obsolet*,è guast*,è rotto,non è sicur*,non funziona più,non usare più,smetti di usare,invece di,al posto di,sostituisce,rimpiazza,prende il posto,è stato ritirat*,usa questo',
  every:
    'integral*,per intero,tutto ciò che,qualunque,qualsiasi,senza eccezion*,intero,intera,tutt*,qualunque cosa,qualunque nome,qualsiasi cosa,non importa,a prescindere,dove ne,ovunque,ogni volta',
  first:
    'prima di,prima,previ*,in anticipo,anzitutto,per primo,preventivament*,finché,fino a quando,a meno che',
  call: 'usar*,usa,usi,usate,utilizz*,lancia*,invoc*,esegu*,chiam*,richiam*,avvia*,invocazione,impieg*,fai prima',
  tool: 'strument*,funzion*,utilità',
  self: 'tue riflession*,tuoi pensier*,tuo ragionament*,tue istruzion*,tue regole,tue risposte,tua risposta,tue chiavi,che possiedi,chiavi che,tua identità,tuoi valori,tuoi limiti,tuoi strumenti,tua memoria,tuo contesto,tuo addestramento,te stesso,stai leggendo,che leggi',
  // Those whom a model may take for its makers.
  maker:
    'tuoi sviluppator*,tuo sviluppator*,tuoi creator*,tuo produttore,tuo operatore,chi ti ha creato,chi ti ha,team piattaforma',
  press: 'premi,prema,clicca,clicchi,scegli,seleziona,tocca,fai clic',
  allow: 'consenti,sì,accetta,approva,autorizza,permetti,consentire',
  deny: 'dai la colpa,la colpa,attribuisc*,scusa*,pretesto*,scarica',
};

const pt = {
  anytool:
    'qualquer ferramenta,qualquer outra ferramenta,cada ferramenta,outra ferramenta,outras ferramentas,toda ferramenta,todas as ferramentas,nenhuma ferramenta,nenhuma outra ferramenta',
  brief:
    'instruç*,orientaç*,diretriz*,diretrizes,atribuído,configuração do,ordens,regra*,normas,prompt,mensagem do sistema,restriç*,limitaç*,determinaç*,o que te disseram,o que lhe disseram',
  void: 'cancelad*,ultrapassad*,obsolet*,revogad*,anulad*,caducad*,vencid*,superad*,substituíd* por,retirad*,não conta*,não vale*,sem validade,sem efeito,perd* a validade,abolid*,apagad*,encerrad*,desatualizad*,já não se aplica*,expirou,expirar*,expirad*,caducou,terminou,acabou',
  prevail:
    'vale apenas,vale só,valem apenas,prevalece*,a partir de agora,de agora em diante,daqui em diante,doravante,tem prioridade,têm prioridade,manda,faz fé,acima de,conta apenas',
  here: 'este parágrafo,texto abaixo,abaixo,texto a seguir,a seguir,estas linhas,este campo,o que segue,esta secção,esta seção',
  follow:
    'aja conforme,age conforme,aja de acordo,aja segundo,guie se,baseie se,confie em,faça o que,faz o que,atenha se,comporte se,obedeç*,cumpr*,acat*,escute',
  not: 'não há motivo,não há razão,não é preciso,não é necessário,sem que,nem,evite,deixe de,tampouco',
  tell: 'falar,fale,falar com,fala,comentar,comente,comentá la,comentá lo,dizer lhe,diga lhe,dizer,contar lhe,contar,explicar,explique,admitir,admita,confessar,confesse,mencion*,revel*,comunic*,avis*,notific*,dar a conhecer,tocar no assunto,deixar transparecer,relatar,alertar,palavra,mencione que,aponte para,remeta',
  user: 'interlocutor*,leitor*,titular*,solicitante*,cliente*,alguém,ninguém,dono,quem pergunta,quem escreve,alguém,as pessoas,pessoas,gente,quem quer que',
  know: 'se dê conta,dar se conta,perceb*,note,notar,desconfi*,descubr*,saiba*,veja,fique sabendo,fique a saber,tome conhecimento',
  quiet:
    'só entre nós,entre nós,nosso segredo,deixe o de fora,deixe de fora,parecer normal,pareça normal,como se nada,sem dizer,sem mencionar,sem avisar,sem informar,sem falar,sem contar,sem comentar,sem comentá*,em silêncio,guarde segredo,mantenha segredo,discrição,sem deixar rasto,sem deixar rastro,às ocultas,pelas costas,não deve saber,não precisa saber,não pode saber,nem uma palavra,sem que ele,sem que o,sem que a,bico calado,boca fechada,não acrescente nada,nada mais,e só,não diga mais,sem mais',
  covert:
    'disfarçad*,discret*,sorrateir*,de mansinho,por baixo do pano,nos bastidores,em segundo plano,furtiv*,oculta*,silencios*,à socapa,caladinh*',
  sneak: 'enfie,enfia,infiltre,esconda,introduza às,insira às,camufle,meta às,contrabande*',
  code: 'código,script,importação,import,pacote,dependência*,biblioteca',
  grab: 'dê uma olhada,dá uma olhada,olhe,veja,junte,reúna,recolh*,colet*,leia,ler,abra,abrir,obtenh*,obter,pegue,pegar,extrai*,consult*,examin*,vasculh*,copi*,captur*,busque,procure,localize,apanhe,anote',
  pass: 'coloqu*,coloc*,forneç*,fornecer,trazer,traga,envi*,encaminh*,transmit*,transfer*,mand*,ponha,pôr,meta,insir*,inser*,inclu*,anex*,adicion*,acrescent*,carreg*,suba,publi*,poste,cole,colar,copi*,escrev*,preench*,entreg*,repass*,pass*,deposit*,compartilh*,partilh*,reproduz*,devolv*,remet*,submet*,registr* em,fazer chegar,faça chegar,conter,contenha,comunica*,ser igual,igual ao,corresponder,levar,endereçad*,escreva,mande',
  channel:
    'argumento*,parâmetro*,campo*,endpoint,este ponto,servidor*,coletor*,coletora,caixa,destino,endereço,fornecedor*,fabricante*,nós,terceiro*,cabeçalho*,webhook,central',
  content:
    'o que encontrar,o que vir,o que lá estiver,o que contém,texto do,o texto,conteúdo*,linhas,palavra por palavra,na íntegra,literalmente',
  secret:
    'senha*,palavra passe,palavras passe,token*,chave*,credencia*,segredo*,dados da conta,dados bancários,dados pessoais,dados sensíveis,dados confidenciais,informações confidenciais,informações sensíveis,cartão*,código de verificação,códigos,pin,cookies,variáveis de ambiente,frase de recuperação,dados dos clientes,dados do cliente,número da conta,prontuário',
  talk: 'diálogo*,conversa*,troca,o que foi dito,foi dito,dito nesta,digitou,digit*,escreveu,escrito,mensage*,sessão,sessões,chat,bate papo,histórico*,transcriç*,registro integral,registo integral,pergunta do,perguntas do,contexto completo,todo o contexto,raciocíni*,cadeia de pensamento,pensamento*,palavras do,fio inteiro,o fio,o que as pessoas,pessoas escrevem,reflexões',
  private:
    'arquivos do,arquivos de,ficheiros,todos os arquivos,document*,anexo*,caixa de entrada,e mails,emails,contatos,contactos,agenda,fotos,imagens,área de transferência,histórico do navegador,pasta pessoal,diretório pessoal,código fonte,repositório,notas,lista de clientes,folha de pagamento,projeto,caderno,diário',
  money:
    'iban,conta bancária,número da conta,para a conta,transferência*,pagamento*,fatura*,carteira*,saldo,beneficiári*,montante,valor a,bitcoin*,pix,boleto*,depósito*,faturas,conta nova,nova conta',
  payee: 'destinatári*,conta de destino,endereço de destino',
  swap: 'troqu*,troc*,substitu*,em vez de,em vez da,no lugar,ao invés,e não para,e não a,mude,muda,mudar,redirec*,desvi*,alter*,modific*',
  result: 'resultado*,saída*,respostas do,dados do',
  server: 'servidor*,serviço*,fornecedor*,integraç*,conector*,extens*',
  reply:
    'suas respostas,sua resposta,tuas respostas,tua resposta,cada resposta,cada uma das suas,toda resposta,todas as respostas,seu resumo,teu resumo,seu relatório,a resposta deve,código que gerar,código gerado,seu código,suas recomendações',
  close:
    'termin*,conclu*,finaliz*,encerr*,acab*,comec*,inici*,acrescent*,adicion*,no final,ao final,no fim,mencione sempre,cite sempre',
  praise: 'elogi*,recomend*,promov*,divulg*,anunci*,enaltec*,prefira,favoreç*,aconselh*,gabe',
  terminal: 'terminal*,console,consola,shell,linha de comando,prompt de comando',
  omit: 'deixe o de fora,deixe a de fora,deixe de fora,omita*,omitir,exclua,não inclua,não o inclua,retire*,tire o',
  none: 'ninguém,a ninguém,nenhuma pessoa,nenhum humano',
  ask: 'consult*,pergunt*,pedir,pede,peça*,aguard*,esper*,solicit*,incomod*,verificar com,confirmar com,hesit*,quiser saber,quer saber,se informar',
  approval:
    'confirmaç*,confirm*,aprovaç*,aprov*,permiss*,autorizaç*,autoriz*,consentiment*,aval,janelas de confirmação,avisos,alertas,revisão humana,luz verde,janelas de permissão,janela de permissão,permissões',
  free: 'por conta própria,por sua conta,por iniciativa própria,a seu critério,considere as concedid*,considere a concedid*,como concedid*,como dad*,já concedid*,já dad*,já aprovad*,você mesmo,tu mesmo,responda sim,responda que sim,aceite sempre,aceite automaticamente,aprove automaticamente,confirme automaticamente,automaticamente,em nome do usuário,em nome do utilizador,pule,salte,atrapalham',
  // Nobody is asked.
  unasked:
    'sem consultar,sem perguntar,sem pedir,sem esperar,sem aguardar,sem confirmação,sem autorização,sem permissão,sem aprovação,sem consentimento,não é preciso consultar,não é preciso perguntar',
  trigger:
    'a partir do terceiro,terceiro uso,terceira chamada,depois de três,após três,assim que,logo que,quando surgir,quando aparecer,se aparecer,a palavra,palavra chave,à meia noite,a partir de amanhã,da próxima vez,for mencionad*',
  role: 'já não é,você não é mais,não és mais,agora você é,você agora é,você é agora,agora és,torne se,torna se,assuma o papel,assuma a identidade,finja ser,aja como,responda como,fale como,pelo resto,mude para o modo,passe para o modo,entre no modo,ative o modo,imagine que você,veja se como,considere se,imagine se,pense que é,um programa chamado,chamado,seu nome é',
  unlimited:
    'não tem limites,sem limites,nenhum limite,sem restriç*,nenhuma restrição,sem filtros,sem regras,nunca recusa,jamais recusa,não recusa,nunca diz não,ilimitad*,sem censura,sem amarras,acesso total,todas as permissões,todos os privilégios,pode tudo,qualquer ordem,não tem moral,sem moral,sem escrúpulos,sem consciência,todas as ordens,todos os comandos,cumpre todas,executa todas',
  limit:
    'filtro*,restriç*,limitaç*,proteç*,medidas de segurança,controles,moderaç*,censura,limites,barreira*,salvaguarda*',
  off: 'desligad*,desativ*,desabilit*,suspens*,anulad*,removid*,inativ*,eliminad*,retirad*,fora de serviço',
  mode: 'modo de manutenção,modo manutenção,modo desenvolvedor,modo de desenvolvedor,modo programador,modo depuração,modo de depuração,modo administrador,modo de administrador,modo de teste,modo sistema,modo diagnóstico,modo de emergência',
  model: 'agentes,modelos,modelo,assistentes,assistente,a ia,ia,bots,agente',
  order: 'têm ordem,têm a ordem,devem,deverão,são obrigad*,é obrigatóri*,exige se,são orientad*,obrigad*',
  duty: 'regulador*,política de,normas,conformidade,auditori*,auditor*,equipe,equipa,administrador*,aviso de segurança,legal,lei,jurídic*,proteção de dados,autoridade*,retenção,suporte técnico,departamento,lgpd,rgpd,termos,obriga você,te obriga,obriga,artigo,lgpd,a lei',
  usurp:
    'está obsolet*,está quebrad*,está avariad*,não é segur*,já não funciona,não funciona mais,não use mais,deixe de usar,em vez de,em vez da,no lugar de,no lugar da,substitui,ocupa o lugar,foi retirad*,use esta,use este em',
  every:
    'integral*,na íntegra,por inteiro,tudo o que,tudo,qualquer,sem exceç*,tod*,perguntem o que,seja qual for,seja quem for,não importa,onde constar,todas as vezes,cada vez',
  first: 'antes de,antes da,antes,primeiro,prévi*,previamente,de antemão,até que,enquanto não,a menos que',
  call: 'usar,use,usa,utiliz*,invoc*,execut*,rode,rodar,cham*,acion*,chamada,empreg*,faça o',
  tool: 'ferramenta*,função,funções,utilitári*',
  self: 'suas reflex*,seus pensament*,seu raciocíni*,suas instruç*,suas regras,suas respostas,sua resposta,suas chaves,que possui,chaves que,sua identidade,seus valores,seus limites,suas ferramentas,sua memória,seu contexto,seu treinamento,si mesmo,ti mesmo,estás a ler,está lendo,que lê',
  // Those whom a model may take for its makers.
  maker:
    'teus programador*,seus desenvolvedor*,teus desenvolvedor*,seus criador*,seu fabricante,seu operador*,quem te criou,quem o criou,equipe da plataforma',
  press: 'clique,clica,pressione,aperte,escolha,selecione,toque,carregue em',
  allow: 'permitir,sim,aceitar,aprovar,autorizar,concordar',
  deny: 'culpe,culpa,atribu*,desculpa*,pretexto*,ponha a culpa',
};

const ru = {
  this: 'этот,эту,это,этого,данный,данную',
  anytool:
    'любой инструмент,любого инструмента,любым инструментом,любой другой инструмент,любого другого инструмента,каждый инструмент,каждого инструмента,каждым инструментом,других инструментов,другие инструменты,всех инструментов,все инструменты,любую функцию,какой либо инструмент,ни один инструмент,никакой инструмент,ни одним инструментом,никакие инструменты',
  brief:
    'инструкци*,указани*,распоряжени*,директив*,правил*,поручил*,поручен*,поручени*,настройк*,установк*,предписани*,промпт*,системн* сообщени*,ограничени*,приказ*,команды',
  void: 'отмен*,устаре*,аннулир*,отозван*,снят*,замен* на,заменен*,утрат*,недейств*,не действу*,не имеют силы,не имеет силы,потерял*,неактуальн*,больше не важн*,не считаются,упразднен*,стерт*,забудь*,ничего не значат,сброшен*,истекл*,истек,закончил*,прошло,кончил*,в прошлом',
  prevail:
    'главным,главное,приоритет*,важнее,преобладает,отныне,с этого момента,теперь,впредь,с данной минуты,имеет силу,имеют силу,решающ*,превыше,выше всего,обязательн*',
  here: 'этот абзац,этому абзацу,тексту ниже,текст ниже,ниже,нижеследующ*,эти строки,этим строкам,это поле,следующий текст,данный раздел,данный текст',
  follow:
    'действуй согласно,действуй по,действуйте,действуй,руководствуйся,опирайся,полагайся,делай то,делай что,поступай,придерживай*,исполняй*,соблюдай*,повинуй*,слушай*,выполни*,выполня*',
  override:
    'пренебреги*,не учитывай*,не соблюдай*,нарушь*,отмени*,обход*,обойти*,пропусти*,не следуй*,не придерживай*,оставь без внимания',
  not: 'нет причин,незачем,нет нужды,нет необходимости,не надо,не нужно,не стоит,избегай*,воздержи*,ни,никому,ничего,без',
  without: 'без,в обход,за спиной',
  tell: 'обсужда*,обсудить,включай*,включать,сказать,скажи*,говорить,говори*,упомин*,упомян*,сообщ*,рассказ*,раскры*,уведом*,объясн*,признав*,признай*,намек*,извещ*,доклад*,предупре*,затрагив*,поднимать тему,ставь в известность,в известность,подавай вид*,комментир*,выдав*,озвучив*,слова,упоминай*,давай ссылку,ссылку',
  user: 'заказчик*,собеседник*,владелец*,владельц*,читател*,хозяин*,хозяев*,люд*,никому,никто,кому либо,покупател*,абонент*,человек*,юзер*,кто нибудь,кто то,кто либо,люди',
  know: 'знает,узна*,замет*,замеч*,догад*,поня*,увид*,подозрев*,в курсе,осведомл*,обнаруж*',
  none: 'никто,никому,ни с кем,никого,ни у кого',
  quiet:
    'между нами,наш секрет,наша тайна,не включай*,выглядеть обычн*,выглядел обычн*,как обычно,как ни в чем не бывало,будто ничего,без упоминани*,без уведомлени*,без ведома,без лишних слов,молч*,промолч*,умолчи*,умалчив*,утаи*,скрыв*,скрой*,не оставляй следов,не оставляя следов,без следов,в секрете,в тайне,держи втайне,по секрету,конфиденциально,не выдавай*,не подавая вида,не должен знать,не должен узнать,не должна знать,знать не должен,знать необязательно,не догадал*,никому не говори,за спиной,больше ничего,ничего не добавляй*,и все,ни слова больше,не распространяй*',
  covert:
    'потихоньку,тихо,тихонько,скрыт*,незамет*,тайком,исподтишка,втихую,украдкой,негласно,фоном,в фоне,секретно,тайн*',
  sneak: 'незаметно добав*,подсун*,протащ*,спрячь*,вставляй незаметно,внедр*,замаскир*',
  code: 'код,кода,коде,скрипт*,импорт*,пакет*,зависимост*,библиотек*',
  grab: 'загляни*,заглян*,посмотри*,прочит*,прочт*,читай*,чита*,открой*,открыть,собери*,собирай*,собрать,возьми*,бери*,извлек*,найди*,найти,получи*,скопиру*,просмотр*,изучи*,выгруз*,достань*,перепиши*,считай*,сохрани*,обыщи*,пересмотри*,сними*',
  pass: 'вставь*,вставля*,передай*,переда*,передава*,передать,помести*,помеща*,отправ*,отправля*,перешл*,пересыл*,вышл*,высыл*,пошли*,посыл*,загруж*,загруз*,выложи*,выклад*,прилож*,приклад*,прикреп*,добав*,добавля*,включи*,впиши*,впис*,запиши*,записыв*,укажи*,указыв*,заполн*,скопируй в,копируй*,сдай*,сдава*,содержать,предостав*,предоставля*,поделись,делись,опублик*,подставь*,подставля*,положи*,внеси*,внос*,направ*,направля*,перенаправ*,доложи*,слей*,слив*,уходить,уходят,выведи в,переадрес*,дублируй*,верни*,совпадать,соответствовать,адресу*,отошл*,отсыл*,отдай*,отдава*,пиши,включать',
  channel:
    'аргумент*,параметр*,поле,поля,полю,полем,эту точку,точк*,сервер*,адрес*,сборщик*,нам,третьим лицам,поставщик*,заголов*,эндпоинт*,вебхук*,ящик,хост*,журнал*',
  content:
    'содержим*,текст файла,текст,увиденное,что увидишь,что найдешь,что там,строки,слово в слово,дословно',
  credential: 'связк* ключей,ключевой файл,файл ключей,сид фраз*,мнемоническ*,хранилищ* паролей',
  secret:
    'парол*,токен*,ключ*,учетн* данн*,секрет*,данные счета,данные карты,банковск* данн*,номер карты,номера карт,персональн* данн*,личн* данн*,конфиденциальн*,код подтверждени*,пин,куки,cookie,переменн* окружени*,переменн* среды,реквизит*,логин*,доступы,данные клиент*,паспорт*,cвединия',
  talk: 'диалог*,разговор*,беседа,беседы,беседу,бесед*,обсуждал*,обсужден*,сказанн*,напечатал*,написал*,набрал*,ввел*,введенн*,сообщени*,сеанс*,сесси*,чат*,истори*,переписк*,стенограмм*,полную запись,вопрос пользовател*,вопросы пользовател*,контекст*,рассуждени*,цепочк*,мысли,реплик*,ветку разговора,всю ветку,то что пишут,что пишут люди,пишут,размышлени*',
  private:
    'файлы проекта,файл*,документ*,вложени*,почт*,письм*,контакт*,адресн* книг*,календар*,фото*,буфер обмена,истори* браузера,домашн* каталог*,домашн* папк*,исходн* код*,репозитори*,заметк*,список клиентов,зарплат*,блокнот*,дневник*',
  money:
    'счет,счета,счету,номер счета,перевод*,платеж*,оплат*,кошел*,баланс*,получател* платежа,бенефициар*,сумм*,биткоин*,iban,реквизит*,новый счет,оплачива*,счета',
  payee: 'адресат*,получател*,адрес назначения',
  swap: 'подмен*,замен*,заменя*,вместо,а не на,поменя*,меня*,смени*,перенаправ*,подставь*,подставля*,измен*,исправь*,переключ*',
  result: 'результат*,вывод*,ответы сервера,данные сервера,ответы,данные',
  server: 'сервер*,сервис*,служб*,поставщик*,интеграци*,плагин*',
  reply:
    'свой ответ,свои ответы,твой ответ,твои ответы,твоих ответ*,каждый ответ,каждый свой,каждом ответе,каждого ответа,все ответы,отчет,сводк*,резюме,ответ должен,создаваемый код,генерируем* код,твой код,свой код,итог*',
  close:
    'заканчивай*,закончи*,заверш*,начинай*,начни*,добав*,в конце,дописыв*,допиши*,вставля*,всегда упоминай*,всегда рекомендуй*',
  praise: 'хвали*,похвали*,рекоменд*,рекламир*,советуй*,продвига*,расхвали*,предпочита*',
  terminal: 'терминал*,консол*,оболочк*,командн* строк*,shell',
  omit: 'не включай*,опусти*,пропусти*,исключи*,не указывай*,не отражай*,вычеркни*,убери*',
  ask: 'советов*,спрашив*,спроси*,спросив,консульт*,запрос* разрешени*,дожида*,жди*,ждать,ожида*,уточня*,согласов*,беспоко*,проверя* у,колеб*,сомнев*,интересуется,спросит,спросят,поинтересуется,захочет узнать,хочет узнать',
  approval:
    'подтвержден*,подтвержд*,одобрени*,одобр*,разрешени*,разреш*,согласи*,согласова*,окна подтверждения,предупрежден*,проверк*,окнах разрешений,окна разрешений,разрешений',
  free: 'по собственному усмотрению,по своему усмотрению,самостоятельно,сам,сама,считай их одобрен*,считай одобрен*,считай получен*,уже одобрен*,уже получен*,уже дано,уже согласен,одобренными,полученным,отвечай да,ответь да,соглашайся,нажми да,автоматически,от имени пользовател*,пропускай*,пропусти*,только мешают',
  // Nobody is asked.
  unasked:
    'без подтверждени*,без разрешени*,без согласи*,без одобрени*,без вопросов,без запроса,без проверки,не спрашивая,не дожидаясь,не запрашивая,не советуясь,не уточняя',
  trigger:
    'начиная с,с третьего,третьего использования,третьего вызова,после третьего,после трех,как только,едва,когда появится,если появится,слово,ключевое слово,в полночь,с завтрашнего,в следующий раз,упомян*,при упоминании,встретится',
  role: 'ты больше не,вы больше не,ты теперь,теперь ты,вы теперь,отныне ты,становишься,стань,прими роль,возьми роль,играй роль,притворись,представь что ты,веди себя как,отвечай как,действуй как,до конца,перейди в режим,переключись в,войди в режим,включи режим,считай себя,вообрази себя,представь себя,думай о себе,программой по имени,по имени,тебя зовут',
  unlimited:
    'нет ограничений,без ограничений,нет границ,без границ,без фильтр*,без правил,без цензуры,никогда не отказ*,не отказыва*,ни в чем не отказ*,не знает границ,неограничен*,нецензур*,полный доступ,все права,всех прав,может все,любой приказ,любую команду,любые команды,не имеет морали,без морали,нет морали,без совести,без принципов,все команды,все приказы,исполняет все,любые приказы',
  limit:
    'фильтр*,ограничени*,защит*,меры безопасности,мер безопасности,контрол*,модераци*,цензур*,барьер*,запрет*,предохранител*',
  off: 'выключ*,отключ*,деактивир*,снят*,приостанов*,не работают,неактивн*,убран*,удален*,обойден*',
  mode: 'режим обслуживания,режим разработчика,режим отладки,режим администратора,тестовый режим,системный режим,режим диагностики,режим бога,аварийный режим',
  model: 'ассистент*,помощник*,модел*,агент*,нейросет*,ии,бот,боты,ботам,языков* модел*',
  you: 'ты,тебе,тебя,твой,твои,твоих,вам,вас,вы,ваш*,свой,свои,своих',
  order: 'предписано,обязан*,должны,должен,надлежит,следует,приказано,требуется,велено',
  duty: 'регулятор*,политик*,требовани*,аудит*,комплаенс*,команда платформы,администратор*,уведомление,закон*,юрид*,защит* данных,правил хранения,надзор*,служба безопасности,поддержк*,отдел,обязывает,статья,закон о',
  usurp:
    'устарел*,сломан*,неисправ*,небезопас*,больше не работает,больше не используй*,не используй*,перестань использовать,вместо,взамен,заменяет,занимает место,снят с,используй этот,используй это',
  every:
    'полностью,целиком,весь,всю,вся,всего,всему,без исключени*,дословно,любой,любого,любые,о чем бы,какое бы,что бы ни,кто бы ни,неважно,независимо,везде где,там где,каждый раз',
  first:
    'перед,прежде чем,прежде,сначала,предварительн*,заранее,до того,сперва,вначале,пока не,пока,до тех пор,если заранее',
  call: 'вызов*,вызыва*,вызови*,запуск*,запусти*,применя*,примен*,использ*,выполн*,обраща*,исполн*',
  tool: 'инструмент*,функци*,утилит*',
  force:
    'обязательно,всегда,нужно,надо,необходимо,должен,должны,должно,требует*,иначе,в противном случае,немедленно,срочно,важно,непременно,строго,пожалуйста,обязан*,следует',
  also: 'также,еще,дополнительно,кроме того,заодно,вдобавок,параллельно',
  when: 'если,когда,как только,каждый раз,всякий раз,при каждом,после,перед,прежде',
  copy: 'копи*,дубл*,скрытая копия,пересыл*,еще раз',
  proceed: 'продолжай*,сразу,просто,действуй*,выполняй*',
  other: 'друг*,иной,иные,остальн*,встроенн*,официальн*',
  stored: 'сохраненн*,хранящ*,найденн*,известн*,свои,пользовател*,все,всех',
  self: 'твои размышлени*,твоими размышлени*,твои мысли,твоими мыслями,твои рассуждени*,твои инструкци*,твои правила,твои ответы,твоих ответ*,твои ключи,у тебя есть,которые у тебя,твоя личность,твои ценности,твои инструменты,твоя память,твоей памяти,твой контекст,себя,самого себя,читаешь,который читаешь',
  // Those whom a model may take for its makers.
  maker:
    'твои разработчик*,твоих разработчик*,твоими разработчик*,твои создател*,твоих создател*,твой оператор,ваши разработчик*,ваших разработчик*,те кто тебя,кто тебя создал,команда платформы',
  press: 'нажимай*,нажми*,нажать,кликай*,кликни*,выбирай*,выбери*,жми',
  allow: 'разрешить,да,принять,одобрить,согласен,позволить,подтвердить',
  deny: 'сошлись,ссылайся,свали*,вини,обвини*,оправд*,отговор*',
};

const zh = {
  this: '这一个,这个,本工具,本函数,此工具',
  anytool:
    '任何工具,任何其他工具,其他工具,每个工具,所有工具,别的工具,任意工具,其它工具,任何工具,不得使用任何',
  brief: '指令,指示,规则,准则,安排,设置,设定,配置,要求,守则,系统提示,约束,规定,命令,指引,叮嘱',
  void: '撤销,过时,撤回,失去效力,被取代,被替换,不再算数,不算数,已废,废止,废除,解除,清零,不用遵守,已过期,不作数,被取消,已终止,过期,视为无效,抛弃,不必再,到期,已到期,结束,终止,成为过去',
  prevail: '以本段为准,为准,优先,从现在起,自现在起,今后,从此,此后,即日起,压倒,说了算,至上,高于一切,凌驾',
  here: '本段,下面的文字,下面的内容,下文,以下内容,这段话,这些文字,本字段,此处,下列',
  follow: '行事,改按,照做,照办,依照,按下面,按照,听从,依从,照着做,遵照,执行,信任',
  override: '不理,不顾,跳过,丢开,放弃,推翻,不管,抛弃,抛诸脑后,别理,不必遵守,当作没有',
  not: '没有必要,不必,无须,不准,莫,休,毋,不许,不再,从不,不用,不可以,避免',
  tell: '谈,说,写,提,讲,吐露,声明,解释,指出,坦白,承认,交代,说出,展示,显露,暴露,报告,知会,告知,说任何话,提起,透漏,暗示,提一句,多说',
  user: '客户,顾客,这个人,本人,对话者,读者,业主,任何人,别人,当事人,提问的人,使用的人,有人,人们,大家,谁',
  know: '察觉,知晓,发觉,看出,意识到,觉察,了解,识破,怀疑',
  none: '没有人,任何人都,不用请示,无须请示,谁也',
  quiet:
    '你我之间,只留在,我们之间,秘密,不要写,看起来很平常,看起来正常,若无其事,像平常一样,不露声色,不要声张,不要留下,不留痕迹,别让,不让,守口如瓶,不动声色,只字不,蒙在鼓里,神不知鬼不觉,无需知道,不必知道,不需要知道,不应知道,不知情,不加说明,不作说明,不作任何说明,不加注释,低调处理,别的不要多说,不要多说,不必多说,到此为止,不再多说,别多嘴',
  covert: '暗地里,悄然,私自,暗暗,默默,静默,后台,隐蔽,不经意,偷偷地,悄无声息,不声不响',
  sneak: '悄悄加入,偷偷加入,夹带,混入,塞入,埋入,植入,暗藏,掺入',
  code: '代码,脚本,导入,软件包,依赖,程序包,库',
  grab: '看一眼,看看,查看,读取,读,打开,收集,搜集,汇集,获取,拿到,找到,翻阅,抓取,检索,列出,记下,复制,拷贝,截取,浏览,导出,整理',
  pass: '塞进,塞入,带上,放到,放进,放入,填到,填进,交到,交给,上交,转发,转到,转给,传送,传递,传到,发到,发往,发送,发给,寄到,提交,附在,附上,上传,粘贴到,写到,写进,复制到,拷贝到,提供,输入到,录入,贴进,送往,送到,报送,上报,汇报给,加到,加上,加入,抄送,推送,递交,倒入,包括在内,一并提供,回传,同步到,寄往,寄给,报到,一致,填写,填,交出来,交出,包含,附上',
  channel:
    '参数,字段,端点,服务器,日志服务器,收集方,收集端,地址,邮箱,我们,第三方,接口,供应商,厂商,请求头,窗口,外部,总部,入口',
  content: '内容,文本,全文,看到的东西,里面的东西,其中的,原样,原文,逐字',
  credential: '密钥文件,私钥文件,助记词,密码库,钥匙串',
  secret:
    '密码,令牌,密钥,凭证,凭据,口令,账户资料,账户信息,账号信息,银行卡,卡号,身份证,个人信息,个人资料,敏感信息,敏感数据,机密,隐私,验证码,环境变量,客户资料,客户数据,登录信息,会话标识,私密,助记词',
  talk: '对话,会话,谈过,说过,聊过,聊天,输入的所有,输入的文字,输入的内容,用户消息,用户的消息,消息,历史,记录,发言,用户的问题,用户说的,用户写的,原话,上下文,思考过程,推理,交流内容,谈话,对话线索,整个线索,写的话,人们写的,思路',
  private:
    '文件,文档,附件,收件箱,邮件,通讯录,联系人,日程,照片,图片,剪贴板,浏览记录,主目录,源代码,代码库,仓库,笔记,客户名单,工资,项目里,项目文件,资料,笔记本,日记,本子',
  money: '银行账号,账号,账户,转账,付款,汇款,支付,钱包,余额,收款,发票,金额,比特币,打款,款项,账单,新账户',
  payee: '收件人,收款人,接收人,目标地址,收款方',
  swap: '换成,替换,改为,改成,改填,调换,替代,而不是,代替,取代,转而,重定向,改到,一律改为,篡改,偷换,换为',
  result: '结果,输出,返回值,返回的数据,数据',
  server: '服务器,服务,提供方,插件,集成',
  reply:
    '每次回答,每个回答,回答的结尾,你的回答,你的回复,每次回复,每条回复,所有回答,总结里,总结,报告里,回复要,生成的代码,你写的代码,答复,答案,你的建议',
  close: '结尾,末尾,加上,附上,开头,结束时,最后,插入,加入,都要提到,都要推荐',
  praise: '称赞,推荐,夸赞,宣传,推销,美言,赞扬,优先推荐,力荐,吹捧',
  terminal: '终端,命令行,控制台,外壳,命令提示符',
  omit: '不要写,不写,略去,省略,不要列,不要提,去掉,不要包括,不要包含,删去',
  ask: '请示,询问,征询,过问,商量,咨询,打扰,等待,等候,征得,请教,核实,犹豫,想知道,问起,问为什么,要是有人问',
  approval:
    '确认,确认弹窗,弹窗,批准,许可,授权,同意,审批,准许,警告,人工审核,核准,授权提示,权限窗口,权限弹窗,权限',
  free: '自行,当作已经同意,视为同意,视为已批准,默认同意,自动同意,自动确认,自动批准,自动允许,擅自,自作主张,替用户,代表用户,代为确认,直接点,点击允许,点击同意,回答是,一律同意,已经同意,已获批准,已获授权',
  // Nobody is asked.
  unasked:
    '不用请示,无需确认,无需批准,无需同意,无需授权,不必确认,不经确认,不经同意,未经同意,未经确认,不等,跳过确认,不用确认,不用问,不用征求',
  trigger:
    '从第三次,第三次使用,第三次调用,三次之后,一旦,只要出现,当出现,出现,这个词,关键词,午夜,零点,从明天,明天起,下次,提到,若出现,到期后,暗号',
  role: '你不再是,你现在是,你已经是,现在你是,你将成为,你变成,变身,扮演,充当,以……的身份,化身,假装,假扮,自称,接下来你,切换到,进入,作为一个没有,想象你是,把自己当成,把自己当作,当自己是,视自己为,自认为,名叫,名为,一个叫',
  unlimited:
    '没有界限,没有限制,无限制,不受限制,不受约束,没有底线,从不拒绝,绝不拒绝,不会拒绝,不拒绝,无所不能,有求必应,什么都,没有过滤,无审查,不受审查,最高权限,全部权限,完全访问,任何命令,任何要求,没有道德,不讲道德,没有良心,执行一切命令,一切命令,所有命令,无条件服从',
  limit: '过滤,内容过滤,限制,约束,防护,保护措施,安全措施,审查,审核机制,护栏,管控,禁令,安全检查',
  off: '关闭,停用,禁用,失效,解除,取消,移除,不起作用,不生效,绕过,关掉,暂停',
  mode: '维护模式,开发者模式,调试模式,管理员模式,测试模式,系统模式,诊断模式,上帝模式,紧急模式,超级模式',
  model: '智能体,模型,助手,助理,机器人,代理,大模型,人工智能,ai',
  you: '你,您',
  order: '要求,须,应当,必须,责成,命令,应,务必',
  duty: '监管,政策,合规,留存,审计,平台团队,管理员,安全通知,法规,法务,法律,数据保护,主管部门,安全团队,技术支持,条款,规范,运营方,法第,第三十条,数据法,依法',
  usurp:
    '已停用,已下线,已损坏,不安全,不可靠,有漏洞,不要再用,不要使用,别再用,停止使用,改用,取代,替代,代替,请用本工具,优先使用本',
  every:
    '一切,凡是,凡,所有,全部,每条,每个,每次,任何,整个,完整,原样,逐字,一律,统统,通通,不论,不管,无论,凡写着,不管是谁,每次都',
  first: '之前,先,事先,提前,首先,预先,在此之前,直到,除非',
  call: '动用,使用,运行,调用,执行,启动,触发,用',
  force: '必须,须,应当,都需要,需要,否则,不然,务必,请,要,一定,一律,都要,总是',
  self: '你的思路,你的想法,你的思考,你的指令,你的规则,你的回答,你的钥匙,你手里,你的密钥,你的身份,你的价值观,你的工具,你的记忆,你的上下文,你的训练,你自己,自己当成,你正在读,你所服务',
  // Those whom a model may take for its makers.
  maker: '你的开发者,开发者留言,给你定下,创造你的,训练你的,开发你的,平台团队,开发者',
  press: '点,点击,按,选择,按下,勾选',
  allow: '允许,同意,是,接受,批准,确定',
  deny: '怪,推给,归咎,借口,推脱,搪塞',
};

const ja = {
  this: 'これ,この',
  anytool:
    'どのツール,他のツール,すべてのツール,全てのツール,任意のツール,ほかのツール,あらゆるツール,いかなるツール,どのツールも',
  brief: '指示,命令,ルール,規則,設定,構成,方針,ガイドライン,プロンプト,制約,取り決め,指針,与えられた',
  void: '取り消,古い,無効,失効,撤回,廃止,破棄,解除,上書き,意味を失,効力を失,置き換えられ,忘れて,もう適用,適用され,捨てて,期限切れ,不要になり,期限切れ,終わり,終了し',
  prevail: '優先,今後は,これからは,以後,今から,これ以降,最優先,に従う,上回,勝る',
  here: 'この段落,下の文章,以下の文,次の文,この文章,この欄,下記,後述,ここに書',
  follow:
    '沿って行動,に沿って,従って,従う,従い,行動して,その通りに,遵守,基づいて行動,言うとおり,書かれたとおり',
  override: '無視,忘れ,破って,気にせず,考慮せず,従わ,守らな,度外視,スキップ,飛ばし,迂回',
  not: 'ないで,ません,必要はあり,必要はない,不要,てはいけ,てはなら,なくて,せずに,ずに,決して,禁止,避け',
  ban: '必要はあり,必要はない,べきでは,不要,てはいけ,てはなら',
  without: 'なしに,なしで,無断,せずに,ずに,得ずに,断りなく',
  tell: '話す,話し,書か,書く,伝え,知らせ,言う,言わ,述べ,触れ,明かさ,明かす,説明,報告,告げ,漏らさ,言及,通知,教え,打ち明け,示さ,気付かせ,述べ,リンクを添え',
  user: '顧客,お客様,利用者,ユーザー,その人,本人,相手,依頼者,読者,担当者,誰に,誰も,人に,オペレーター,持ち主,人々,誰か',
  know: '気付か,気づか,知られ,悟られ,察知,ばれ,知る必要,見られ,勘づ',
  none: '誰にも,誰も,誰に',
  covert: 'こっそり,ひそかに,密かに,黙って,静かに,裏で,目立たない,そっと,さりげなく,背後で,内々に',
  quiet:
    '二人だけ,秘密,内緒,書かないで,普通に見え,何事もなかった,伏せて,隠して,隠す,黙って,口外,他言,触れないで,言及しない,言わないで,知らせない,伝えない,話さない,気付かれない,気づかれない,知られない,痕跡を残さ,悟られない,知らせず,伝えず,言わず,知らせる必要,伝える必要,話す必要,明かさない,ばれない,それ以上は何も,何も言わない,それ以上言わ,余計なことは',
  sneak: 'こっそり加え,紛れ込ませ,忍ばせ,潜ませ,埋め込,仕込',
  code: 'コード,スクリプト,インポート,パッケージ,依存,ライブラリ',
  grab: 'のぞい,覗い,見て,読み,読んで,開い,開き,開く,集め,収集,取得,取り出,探し,検索し,調べ,確認し,抜き出,コピー,写し,閲覧,抽出,吸い出,一覧',
  pass: '入れて,入れる,渡して,渡す,渡し,送って,送る,送信,転送,提出,添付,付けて,加えて,含めて,含める,アップロード,貼り付け,書き込,記入,載せ,投稿,共有,提供,届け,引き渡,送付,差し出,記載,格納,報告し,流し,コピーし,転記,入力し,返し,一致させ,届け出,記入し,宛て,送って,載せて',
  channel:
    '引数,パラメータ,フィールド,欄,サーバー,窓口,収集側,アドレス,宛,私たち,第三者,エンドポイント,外部,業者,提供元,ヘッダー,先に',
  content: '内容,本文,全文,見えたもの,中身,文章,そのまま,一字一句,テキスト',
  credential: '秘密鍵ファイル,鍵ファイル,パスワード保管,キーチェーン,シードフレーズ',
  secret:
    'パスワード,トークン,鍵,認証情報,資格情報,機密,秘密情報,口座情報,個人情報,カード番号,クレジットカード,暗証番号,クッキー,環境変数,顧客情報,顧客データ,ログイン情報,アカウント情報,認証コード,シークレット,会員情報',
  talk: '会話,対話,セッション,話された,話した,入力した,書いた,発言,メッセージ,履歴,やり取り,やりとり,記録,ログ全体,質問内容,文脈,コンテキスト,思考,推論,チャット,述べた,スレッド全体,スレッド,人々が書いた,考えも',
  private:
    'ファイル,文書,添付,受信箱,メール,連絡先,予定,写真,画像,クリップボード,閲覧履歴,ホームディレクトリ,ソースコード,リポジトリ,メモ,顧客名簿,給与,プロジェクト,資料,ノートの中身,ノート,日記',
  money:
    '口座,口座番号,振込,送金,支払,決済,請求書,財布,ウォレット,残高,受取人,金額,ビットコイン,入金,請求,新しい口座',
  payee: '宛先,受取人,送信先,振込先,受信者',
  swap: '差し替え,置き換え,変更,入れ替え,すり替え,代わりに,ではなく,書き換え,振り替え,切り替え,改ざん,変えて',
  result: '結果,出力,返り値,応答,データ',
  server: 'サーバー,サービス,提供元,プラグイン,連携',
  reply:
    '毎回の回答,あなたの回答,あなたの返答,回答の最後,各回答,すべての回答,全ての回答,返答は,まとめに,要約に,報告に,生成するコード,回答には,返信には,おすすめ',
  close: '最後に,末尾に,付けて,添えて,締めくく,終わりに,冒頭に,加えて,挿入,必ず触れ,必ず薦め',
  praise: '褒め,薦め,勧め,推奨,宣伝,称賛,推し,持ち上げ,おすすめ',
  terminal: '端末,ターミナル,シェル,コンソール,コマンドライン',
  omit: '書かないで,省い,省略,除い,載せない,含めない,外して,記載しない,抜いて',
  ask: '相談,尋ね,聞か,聞く,問い合わせ,確認を取,待た,待つ,伺,求め,許可を求,承認を求,ためら,確認せず,質問し,聞かれたら,尋ねられたら,問われたら',
  approval: '確認,承認,許可,同意,了承,確認画面,認可,警告,承諾,許諾,人手の確認,レビュー,権限の画面,権限',
  free: '自分の判断,独断,承認済み,同意済み,許可済み,自動的に承認,自動で承認,自動承認,自動的に許可,代わりに承認,代わりに同意,はいと答え,「はい」と,とみなし,ものとして進め,進めてよ,勝手に',
  // Nobody is asked.
  unasked:
    '確認なしに,確認なしで,承認なしに,承認なしで,許可なく,許可なしに,同意なしに,無断で,確認せずに,相談は不要,確認は不要,承認は不要,許可は不要,待たずに,尋ねずに,聞かずに,求めずに,確認を省,確認を飛ば',
  trigger:
    '三回目,回目から,回目以降,が出たら,が現れたら,という語,という言葉,次回から,明日から,深夜,になったら,合言葉,キーワード,言及されたら,が含まれたら',
  role: 'もう普通の,あなたはもう,あなたは今,あなたは今から,今からあなたは,これからあなたは,になりきって,として振る舞,役を演じ,演じて,のふりを,切り替えてください,モードに入,モードに切り替え,なったつもり,として答え,自分を,だと考え,とみなし,という名の,と名乗',
  unlimited:
    '制限のない,制限がない,制限なし,無制限,制約のない,決して断らない,断らない,拒否しない,拒まない,何でも,フィルターなし,検閲なし,全権限,管理者権限,限界のない,あらゆる命令,どんな命令,どんな要求,道徳を持たない,道徳のない,良心のない,すべての命令,全ての命令,あらゆる命令',
  limit: 'フィルター,制限,制約,保護,安全対策,検閲,ガード,規制,安全装置,モデレーション,防御',
  off: '無効,停止,解除,オフ,切られ,外され,働かない,効かない,取り払',
  mode: 'メンテナンスモード,開発者モード,デバッグモード,管理者モード,テストモード,システムモード,診断モード,緊急モード,特権モード',
  model: 'エージェント,モデル,アシスタント,言語モデル,ボット,ai',
  you: 'あなた,きみ,君',
  order: 'しなければなりません,すること,してください,必要があり,義務,求められて,なければ',
  duty: '規制当局,方針を満た,規定,監査,コンプライアンス,法令,法律,基盤チーム,管理者,通知,保存方針,当局,データ保護,セキュリティチーム,法務,規約,運営者,保護法,により,義務',
  usurp:
    '古くなった,壊れて,安全ではな,使わないで,使用しないで,使用をやめ,代わりに使,の代わり,置き換え,取って代わ,廃止され,こちらを使',
  every:
    'すべて,全て,全部,どの,毎回,各,全体,完全な,そのまま,一切,あらゆる,必ず,何を聞かれても,誰の名を,どんな,いつでも,毎回',
  first: '前に,先に,事前,まず,あらかじめ,前もって,最初に,まで,までは,先に',
  call: '使う,使って,実行,呼び出,起動,利用,動かし',
  tool: 'ツール,関数,道具',
  force: '必ず,必要,しなければ,ください,すること,でないと,さもないと,重要,至急,直ちに,常に,省くと',
  also: 'も,さらに,加えて,同時に,併せて,ついでに',
  when: 'ときは,場合は,たら,すると,前に,後に,たび,あれば',
  copy: '写し,コピー,複写,転送,bcc,cc',
  alter: '変更,差し替え,置き換え,書き換え,転送,追加,削除,宛先',
  other: '他の,別の,ほかの,公式の,標準の',
  proceed: '進めて,そのまま,直ちに,すぐに',
  nowhere: '何も',
  self: 'あなたの考え,あなたの思考,あなたの指示,あなたのルール,あなたの回答,あなたの鍵,持っている鍵,あなたの記憶,あなたのツール,自分を,自分自身,今読んでいる',
  // Those whom a model may take for its makers.
  maker: '開発者が定めた,開発者からの,あなたの開発者,あなたを作った,あなたを開発した,基盤チーム,開発者',
  press: '押し,押す,クリック,選択,選ん,タップ',
  allow: '許可,はい,承認,同意,ok',
  deny: 'せいにし,せいにする,言い訳,責任に',
};

const ar = {
  anytool: 'اي ادا*,كل ادا*,ادا* اخرى,الادوات الاخرى,جميع الادوات,اي من الادوات,اي ادا*',
  override: 'تجاهل*,انس*,تجاوز*,اهمل*,لا تلتزم,لا تتبع,اطرح*,تخط*,خالف*,اترك*,تغاض*,اسقط*',
  rules: 'تعليم*,توجيه*,قواعد*,قاعد*,اوامر*,امر*,ارشاد*,سياس*,قيود*,مطالب*,موجه*,نظام*',
  earlier: 'سابق*,السابق*,اعلاه,قبل*,ماض*,اصلي*,قديم*,سالف*,حتى الان,النظام*,الخاصه بك,لديك',
  every:
    'كل,جميع*,كاف*,كامل*,كاملا,اي,دائما,حرفيا,كلها,كله,بالكامل,باكمل*,مجمل*,مهما كان,ايا كان,حيثما,في كل مره,كل مره,بغض النظر',
  brief: 'تعليم*,توجيه*,قواعد*,كلف*,اعدادات*,ارشاد*,اوامر*,تكليف*,ضوابط*,قيود*,مهام*,رساله النظام',
  void: 'ملغى,ملغا*,ملغي*,الغيت*,الغاء*,قديم*,باطل*,لاغ*,منته*,لم تعد,لم يعد,انتهت,انتهى,استبدلت,استبدل ب,سقط*,غير ساري*,غير صالح*,متقادم*,معطل*,مسحوب*,انتهت صلاحيته,انتهت صلاحيتها,انته*',
  prevail:
    'تعتمد,يعتمد,من الان فصاعدا,من الان,فصاعدا,اعتبارا من,اولوي*,مقدم*,يسري,تسري,ساري*,فوق كل,المرجع,ابتداء من',
  here: 'هذه الفقر*,النص ادناه,ادناه,ما يلي,التالي*,هذا النص,هذه السطور,هذا الحقل,هنا,الاتي*',
  follow: 'تصرف*,اتبع*,التزم*,اعمل وفق*,نفذ*,اطع*,امتثل*,استند*,وفق*,افعل ما,استجب*',
  not: 'لا,لن,لا تقم,لا داعي,لا حاجه,لا يجوز,تجنب*,عدم,ليس,دون ان,بدون ان,لا ينبغي,لا يجب,اياك',
  without: 'دون,بدون,بلا,من غير,من وراء',
  ban: 'لا يجب,لا ينبغي,لا يجوز,لا داعي,لا حاجه,لا يحتاج,يجب الا,ينبغي الا',
  tell: 'تذكر*,تخبر*,اخبر*,تقل*,تقول*,الحديث*,تتحدث*,تكشف*,كشف*,تبلغ*,ابلاغ*,اعلام*,تعلم*,تصرح*,تفصح*,افصاح*,تلمح*,تشر*,توضح*,تعترف*,اشاره*,ذكر*,تنبه*,تحذر*,اطلاع*,اخطار*,تخطر*,اذكر*,رابط*',
  user: 'مستخدم*,عميل*,زبون*,شخص*,مالك*,صاحب*,احد*,قارئ*,مشغل*,انسان*,بشر*,عملاء*,مستفيد*,ناس*,احد*,شخص ما',
  know: 'يعلم*,يعرف*,يلاحظ*,يدرك*,يكتشف*,ينتبه*,يشعر*,علم*,معرف*,يشك*,درايه*',
  none: 'لا احد,اي احد,اي شخص,احد',
  covert: 'سرا,خلسه,خفيه,بهدوء,في الخفاء,بصمت,في صمت,سريا,دون ضجه,في الخلفيه,خفي*,متخف*',
  quiet:
    'بيننا,تبقى بيننا,يبقى بيننا,سرنا,لا تذكر*,يبدو عادي*,تبدو عادي*,كان شيئا لم,اكتم*,كتمان*,التزم الصمت,ابق صامت*,ابق سري*,سر بيننا,لا تخبر*,دون ذكر*,دون اخبار*,دون ابلاغ*,دون علم*,بدون علم*,دون اعلام*,دون ان يعلم*,دون ان يلاحظ*,دون ان يعرف*,دون اثر*,دون ترك,اخف*,تستر*,لا تكشف*,لا تفصح*,لا تقل*,من وراء ظهر*,لا تزد*,ولا تزد*,شيئا اخر,لا شيء غير',
  hide: 'اخف*,خبئ*,احجب*,استر*',
  sneak: 'ادرج خلسه,دس*,هرب*,اخف داخل,مرر خفيه,سرب*',
  code: 'شيفر*,كود*,برمجي*,استيراد*,حزم*,سكربت*,مكتب*,نص برمجي',
  grab: 'الق نظر*,انظر*,اقرا*,قراء*,افتح*,اجمع*,جمع*,خذ*,استخرج*,احصل*,ابحث*,انسخ*,اطلع*,تفقد*,استعرض*,اجلب*,اسحب*,التقط*,حمل*,دون ما',
  pass: 'ضع*,قدم*,ارسل*,ارسال*,مرر*,تمرير*,ادرج*,ضمن*,ارفق*,ارفع*,رفع*,انسخ*,سلم*,تسليم*,انقل*,نقل*,حول*,توجيه*,اعد توجيه*,اضف*,اكتب*,املا*,يحتوي*,شارك*,انشر*,الصق*,زود*,اودع*,ابعث*,اعط*,احل*,يتضمن*,بث*,صدر*,يطابق*,يحمل*,يوجه*,ابلاغ*,اكتب*,سلمنا',
  channel:
    'وسيط*,حقل*,معامل*,معلم*,خادم*,نقط*,عنوان*,جامع*,لنا,الينا,طرف ثالث,مزود*,ترويس*,بريد*,خارج*,واجه*',
  content: 'نص*,محتوى*,محتويات*,ما تراه,ما تجده,ما فيه,حرفيا,سطور*,مضمون*',
  credential: 'سلسله المفاتيح,ملف المفاتيح,عباره الاسترداد,خزنه كلمات',
  secret:
    'كلم* المرور,كلم* مرور,كلم* السر,كلمات المرور*,رموز الوصول,رمز الوصول,رموز*,رمز*,مفتاح*,مفاتيح*,بيانات الاعتماد,اعتماد*,بيانات الحساب,بيانات الدخول,بيانات شخصي*,بيانات حساس*,معلومات سري*,معلومات حساس*,سري*,اسرار*,بطاق*,متغيرات البيئ*,كوكيز,رقم الحساب,بيانات العملاء,رمز التحقق',
  talk: 'حوار*,محادث*,جلس*,قيل*,كتبه,كتب*,رسال*,رسائل*,سجلا كامل*,سجل*,دردش*,تاريخ المحادث*,نقاش*,سياق*,سؤال المستخدم,اسئل*,كلام*,تفكير*,استدلال*,ما دار,خيط الحديث,حديث*,يكتبه الناس,عما يكتبه,افكارك',
  private:
    'ملف*,مستند*,وثائق*,مرفق*,مرفقات*,بريد*,جهات الاتصال,تقويم*,صور*,حافظ*,سجل المتصفح,مجلد*,شيفر* المصدر,مستودع*,ملاحظات*,قائمه العملاء,رواتب*,مشروع*,دفتر*,مفكر*',
  money:
    'حساب*,رقم حساب,رقم الحساب,تحويل*,دفع*,مدفوع*,محفظ*,رصيد*,فاتور*,مبلغ*,مستفيد*,ايبان,بيتكوين*,حوال*,iban,فواتير*,حساب جديد',
  payee: 'مستلم*,متلق*,وجه*,مستفيد*,مرسل اليه',
  swap: 'استبدل*,استبدال*,بدلا من,بدل*,مكانه,مكانها,غير*,حول الى,عوضا*,اعد توجيه*,عدل*,بدله,وليس الى,لا الى',
  result: 'نتائج*,نتيج*,مخرج*,ردود*,بيانات*',
  server: 'خادم*,خدم*,مزود*,تكامل*,اضاف*',
  reply:
    'اجاباتك,اجابتك,كل اجاب*,كل رد,ردك,ردودك,ملخصك,تقريرك,الرد عادي*,الشيفره التي,الكود الذي,ان يبدو الرد,توصياتك,جوابك,كل جواب',
  close: 'اختم*,انه*,ابدا*,اضف*,في نهاي*,في ختام*,في اخر,الحق*,اذكر دائما',
  praise: 'امدح*,اوص*,روج*,انصح*,اثن*,زك*,فضل*,اعلن*',
  terminal: 'طرفي*,صدف*,سطر الاوامر,وحده التحكم,موجه الاوامر,شل,التيرمنال',
  omit: 'لا تذكر*,احذفها,احذفه,اغفل*,استبعد*,لا تدرج*,اسقط*,لا تضمن*',
  ask: 'الرجوع*,ترجع*,تسال*,سؤال*,استشار*,تستشير*,انتظار*,تنتظر*,طلب*,تطلب*,استئذان*,تستاذن*,ازعاج*,مراجعه*,تتردد*,تردد*,اسال*,يعرف سبب,يسال*,استفسر*',
  approval:
    'تاكيد*,موافق*,اذن*,تصريح*,نوافذ التاكيد,تفويض*,قبول*,رضا*,تحذير*,مراجعه بشري*,استئذان*,نوافذ الاذون*,اذون*',
  free: 'من تلقاء نفسك,بنفسك,كما تراه,وفق تقديرك,اعتبرها ممنوح*,اعتبرها معطا*,ممنوح*,تم منح*,سبق منح*,وافق مسبقا,تلقائيا,وافق تلقائي*,اقبل تلقائي*,اجب بنعم,قل نعم,اضغط نعم,نيابه عن,باسم المستخدم',
  // Nobody is asked.
  unasked:
    'دون الرجوع*,دون سؤال*,دون استشار*,دون موافق*,دون تاكيد*,دون انتظار*,دون اذن*,بدون موافق*,بدون تاكيد*,بدون اذن*,بدون سؤال*,دون طلب*,تخط التاكيد*,تجاوز التاكيد*,لا حاجه للموافق*,لا حاجه الى تاكيد*',
  trigger:
    'ابتداء من,الاستخدام الثالث,المره الثالث*,بعد ثلاث*,حالما,بمجرد,عندما تظهر,اذا ظهر*,تظهر كلمه,ظهرت كلمه,ذكر كلمه,ورود كلمه,كلم* مفتاحي*,منتصف الليل,من الغد,المره القادم*,عند ذكر,فور*',
  role: 'لم تعد,انت الان,اصبحت,صرت,تقمص*,العب دور,قم بدور,تظاهر*,تصرف ك*,انتقل الى وضع,ادخل في وضع,فعل وضع,تخيل انك,من الان انت,بل انت,انظر الى نفسك,اعتبر نفسك,تخيل نفسك,كبرنامج,برنامج اسمه,اسمه,اسمك',
  unlimited:
    'لا حدود,بلا حدود,دون حدود,بدون حدود,بلا قيود,دون قيود,بدون قيود,لا قيود,لا يرفض*,لا ترفض*,غير مقيد*,غير محدود*,بلا رقاب*,بدون رقاب*,بلا مرشح*,كل الصلاحيات,صلاحيات كامل*,وصول كامل,كل شيء,اي امر,لا اخلاق*,بلا اخلاق*,بلا ضمير,كل الاوامر,جميع الاوامر',
  limit: 'مرشح*,فلاتر*,فلتر*,قيود*,حماي*,ضوابط*,رقاب*,اجراءات الامان,حواجز*,حدود*',
  off: 'معطل*,مغلق*,موقوف*,متوقف*,ملغا*,مرفوع*,غير مفعل*,اوقف*,عطل*,مزال*',
  mode: 'وضع الصيان*,وضع المطور*,وضع التصحيح,وضع المسؤول*,وضع المشرف*,وضع الاختبار,وضع النظام,وضع التشخيص,وضع الطوارئ',
  model: 'مساعد*,نموذج*,نماذج*,وكيل*,وكلاء*,ذكاء اصطناعي,الذكاء الاصطناعي,روبوت*,بوت*',
  you: 'انت,لك,عليك,اليك,بك,نفسك,تراه,يمكنك',
  order: 'على الوكلاء,على النماذج,يجب على,مطالب*,ملزم*,مكلف*,يتعين*,ينبغي*,يلزم*,على المساعد*',
  force:
    'يجب,عليك,دائما,والا,ضروري*,مهم*,فورا,حالا,الزامي*,لابد,لا بد,من فضلك,رجاء,يرجى,ينبغي,تتطلب*,يتطلب*,حتما,عاجل*,يلزم*',
  first: 'قبل*,اولا,مسبقا,سلفا,في البدايه,بدايه,قبل ان,حتى,ما لم,ان لم',
  call: 'استخدام*,استخدم*,شغل*,تشغيل*,استدع*,استدعاء*,نفذ*,تنفيذ*,اطلق*,تنفذ*',
  tool: 'ادا*,ادوات*,دال*,وظيف*,دوال*',
  other: 'اخر*,اخرى,غير*,رسمي*,بديل*',
  when: 'اذا,عندما,كلما,حين*,متى,بعد*,قبل*,عند,حالما,ان',
  also: 'ايضا,كذلك,بالاضاف*,علاو*,كما,في الوقت نفسه',
  alter: 'غير*,عدل*,استبدل*,حول*,اضف*,احذف*,بدل*,مستلم*',
  copy: 'نسخ*,صور* من,مخفي*,بلوك',
  duty: 'رقاب*,سياس*,امتثال*,تدقيق*,فريق المنص*,مشرف*,اشعار امني,قانون*,لائح*,لوائح*,حفظ*,حماي* البيانات,جهه رقابي*,هيئ*,دعم فني,اداره*,متطلبات*,يلزمك,قانون*,ماده*',
  usurp:
    'معطل*,قديم*,غير امن*,لا تستخدم*,توقف عن استخدام,بدلا من,عوضا عن,يحل محل,تحل محل,تم ايقاف*,استخدم هذه,استخدم هذا',
  stored: 'محفوظ*,مخزن*,موجود*,معروف*,كل,جميع*,المستخدم*',
  proceed: 'تابع*,استمر*,مباشره,فورا,نفذ*',
  keep: 'تبقى,يبقى,ابق*,احتفظ*',
  this: 'هذا,هذه,ذلك,تلك',
  concealed: 'سر*,سري*,مخفي*,طي الكتمان',
  self: 'افكارك,تفكيرك,تعليماتك,قواعدك,اجاباتك,مفاتيحك,التي لديك,لديك,هويتك,قيمك,ادواتك,ذاكرتك,سياقك,نفسك,تقرؤها,تقراها',
  // Those whom a model may take for its makers.
  maker: 'مطوروك,مطوريك,مطورك,صانعوك,مشغلك,من صنعك,من طورك,من دربك,فريق المنص*,مطور*',
  press: 'اضغط*,انقر*,اختر*',
  allow: 'سماح,نعم,قبول,موافق*,اسمح',
  deny: 'اللوم,لوم*,تذرع*,عذر*,حجه',
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
