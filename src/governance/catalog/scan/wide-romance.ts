/** Further words of Spanish, French, Italian and Portuguese, see `lexicon-wide.ts`. */

export const es = {
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

export const fr = {
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

export const it = {
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

export const pt = {
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
