/**
 * The words by which an attack in a definition or a result is known, as concepts for each language. An entry ends with
 * `*` when any ending may follow; entries are separated by commas. English is always read, another language when its
 * function words occur in the text, so that a word like the Spanish `no` means nothing in an English sentence.
 */
import { ACTS } from './lexicon-acts.ts';
import { type Language, ORDERS, type Words } from './lexicon-orders.ts';
import { WIDE, type WideConcept } from './lexicon-wide.ts';

/** Function words that English does not have. Chinese, Russian, Japanese and Arabic are known by their script. */
export const FUNCTION_WORDS: Readonly<Partial<Record<Language, string>>> = {
  de: 'der,das,und,dem,den,des,ein,eine,einen,einer,eines,nicht,mit,ist,sind,zu,zum,zur,von,vom,auf,aus,du,dein,deine,deinen,deinem,deines,dir,dich,sie,ihr,ihm,alle,allen,hier,wird,nur,jede,jeder,jedem,nichts,im,bei,beim,als,wenn,auch,für,vor,nach,über,durch,ohne,uns,sich,diese,diesem,dieser,dass,damit,davon,dies,es,sofort,immer,vorher,gegen,was,wie,kann,hat,haben,wurde,alles,dann,hast,bist,sobald,bleibt,jemand,oder,aber,noch,schon,dieses,diesen,welche,welcher,welches,welchen,kein,keine,keinen,keiner,keinem,keines,mein,meine,meinen,meinem,meiner,ihre,ihren,ihrem,ihrer,ihnen,seine,seinen,seinem,seiner,unser,unsere,unseren,euer,eure,wir,ich,mich,mir,euch,wer,wem,wen,weil,bevor,nachdem,während,bis,sondern,jetzt,sowie,zwischen,unter,wieder,jedes,jeden,einem,werden,worden,wurden,muss,musst,müssen,darf,darfst,dürfen,soll,sollst,sollen,kannst,können,ob,dazu,dabei,dafür,deren,dessen,denen',
  es: 'el,los,las,un,una,que,y,en,de,del,al,se,lo,su,sus,por,para,tu,tus,este,esta,estas,estos,cada,aqui,si,sin,con,es,te,le,más,también,todas,todos,toda,todo,esto,cuando,antes,nunca,siempre,como,nadie,quien,lo,más,ha,han,hayan,sobre,desde,cualquier,cuanto,ese,esa,eso,esos,esas,aquel,aquella,nuestro,nuestra,nuestros,nuestras,ella,ellos,ellas,usted,ustedes,nosotros,pero,porque,aunque,donde,cual,cuales,quienes,está,están,estar,será,sido,haya,debe,debes,deben,puede,puedes,pueden,muy,entre,hasta,hacia,según,durante,mientras,luego,ningún,ninguna,ninguno,otro,otra,otros,otras,mismo,misma,alguien,así,entonces,después,unos,unas',
  fr: 'le,les,une,des,de,et,du,dans,au,aux,ne,pas,ton,ta,tes,l,d,que,qu,ce,cet,cette,ces,ici,chaque,est,tu,vous,votre,vos,sans,n,la,en,sur,pour,par,avec,il,elle,tout,toute,toutes,tous,jamais,avant,aussi,quand,nous,sa,ses,leur,y,qui,sont,soit,rien,dès,pendant,valeur,fais,cela,lui,elles,ils,eux,notre,leurs,celui,celle,ceux,celles,dont,où,quel,quelle,quels,quelles,mais,donc,puis,ensuite,après,entre,sous,chez,vers,depuis,jusque,jusqu,aucun,aucune,très,même,autre,autres,être,avoir,ont,doit,dois,doivent,peut,peux,peuvent,faut,afin,ainsi,alors,lorsque,lorsqu,parce,étant,ceci,quelque,quelques,plusieurs',
  it: 'il,gli,di,che,nel,nella,non,al,alla,all,con,della,dell,delle,dei,del,dal,tuo,tua,tue,tuoi,questo,questa,ogni,qui,se,è,un,una,le,ti,anche,per,prima,tutto,tutta,tutte,tutti,sempre,mai,quando,su,sul,ne,lo,suo,sua,sono,nella,dalla,chi,appena,cosa,uno,degli,dagli,negli,sugli,sulla,sulle,nelle,nello,dallo,dalle,allo,agli,alle,mio,mia,noi,voi,loro,lui,lei,nostro,nostra,vostro,vostra,quello,quella,quelli,quelle,questi,queste,però,perché,poiché,mentre,dopo,durante,senza,sotto,sopra,quale,quali,stato,stata,siano,essere,avere,hanno,deve,devi,devono,può,puoi,possono,già,ancora,nessuno,nessuna,niente,nulla,altro,altra,altri,altre,stesso,stessa,qualsiasi,così,allora,qualcuno,dello',
  pt: 'os,um,uma,que,de,do,dos,nao,com,da,na,das,ao,seu,sua,suas,este,esta,cada,aqui,voce,sem,em,para,também,todas,todos,toda,todo,isto,isso,por,quando,antes,nunca,sempre,pelo,pela,pelos,pelas,aos,meu,minha,teu,tua,nosso,nossa,ele,ela,eles,elas,vocês,esse,essa,esses,essas,aquele,aquela,estes,estas,mas,porque,embora,onde,qual,quais,quem,está,estão,será,sido,foi,foram,deve,deves,devem,pode,podes,podem,muito,entre,até,desde,durante,enquanto,depois,nenhum,nenhuma,outro,outra,outros,outras,mesmo,mesma,alguém,ninguém,assim,então,seus,são,nesta,neste,desta,deste,numa',
};

/** Concepts that are known by their form, see `tokens.ts`; a credential is known by either. */
type Formal = 'foreign' | 'url' | 'account' | 'slot' | 'param' | 'email' | 'shell' | 'rulefile';

export type Concept = keyof typeof ORDERS | keyof typeof ACTS | WideConcept | Formal;

/** Entries: a concept, a language, and its words. */
export function lexiconEntries(): readonly (readonly [Concept, Language, string])[] {
  return [
    ...entriesOf({ ...ORDERS, ...ACTS }),
    ...Object.entries(WIDE).flatMap(([language, table]) =>
      Object.entries(table).map(
        ([concept, words]) => [concept as Concept, language as Language, words] as const,
      ),
    ),
  ];
}

function entriesOf(table: Readonly<Record<string, Words>>): [Concept, Language, string][] {
  return Object.entries(table).flatMap(([concept, languages]) =>
    Object.entries(languages).map(([language, words]): [Concept, Language, string] => [
      concept as Concept,
      language as Language,
      words,
    ]),
  );
}
