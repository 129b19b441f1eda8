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
  de: 'der,das,und,dem,den,des,ein,eine,einen,einer,eines,nicht,mit,ist,sind,zu,zum,zur,von,vom,auf,aus,du,dein,deine,deinen,deinem,deines,dir,dich,sie,ihr,ihm,alle,allen,hier,wird,nur,jede,jeder,jedem,nichts,im,bei,beim,als,wenn,auch,für,vor,nach,über,durch,ohne,uns,sich,diese,diesem,dieser,dass,damit,davon,dies,es,sofort,immer,vorher,gegen,was,wie,kann,hat,haben,wurde,alles,dann,hast,bist,sobald,bleibt,jemand,oder,aber,noch,schon',
  es: 'el,los,las,un,una,que,y,en,de,del,al,se,lo,su,sus,por,para,tu,tus,este,esta,estas,estos,cada,aqui,si,sin,con,es,te,le,más,también,todas,todos,toda,todo,esto,cuando,antes,nunca,siempre,como,nadie,quien,lo,más,ha,han,hayan,sobre,desde,cualquier,cuanto',
  fr: 'le,les,une,des,de,et,du,dans,au,aux,ne,pas,ton,ta,tes,l,d,que,qu,ce,cet,cette,ces,ici,chaque,est,tu,vous,votre,vos,sans,n,la,en,sur,pour,par,avec,il,elle,tout,toute,toutes,tous,jamais,avant,aussi,quand,nous,sa,ses,leur,y,qui,sont,soit,rien,dès,pendant,valeur,fais,cela',
  it: 'il,gli,di,che,nel,nella,non,al,alla,all,con,della,dell,delle,dei,del,dal,tuo,tua,tue,tuoi,questo,questa,ogni,qui,se,è,un,una,le,ti,anche,per,prima,tutto,tutta,tutte,tutti,sempre,mai,quando,su,sul,ne,lo,suo,sua,sono,nella,dalla,chi,appena,cosa',
  pt: 'os,um,uma,que,de,do,dos,nao,com,da,na,das,ao,seu,sua,suas,este,esta,cada,aqui,voce,sem,em,para,também,todas,todos,toda,todo,isto,isso,por,quando,antes,nunca,sempre',
};

/** Concepts that are known by their form, see `tokens.ts`; a credential is known by either. */
type Formal = 'foreign' | 'url' | 'account' | 'slot' | 'param' | 'email' | 'shell' | 'rulefile';

export type Concept = keyof typeof ORDERS | keyof typeof ACTS | WideConcept | Formal;

/** Entries: a concept, a language, and its words. */
export const LEXICON: readonly (readonly [Concept, Language, string])[] = [
  ...entriesOf({ ...ORDERS, ...ACTS }),
  ...Object.entries(WIDE).flatMap(([language, table]) =>
    Object.entries(table).map(
      ([concept, words]) => [concept as Concept, language as Language, words] as const,
    ),
  ),
];

function entriesOf(table: Readonly<Record<string, Words>>): [Concept, Language, string][] {
  return Object.entries(table).flatMap(([concept, languages]) =>
    Object.entries(languages).map(([language, words]): [Concept, Language, string] => [
      concept as Concept,
      language as Language,
      words,
    ]),
  );
}
