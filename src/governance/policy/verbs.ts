/**
 * What the name of a tool says it does. Verbs of English, German, Spanish, French and Italian, in any way to write a name:
 * `wipe_disk`, `wipeDisk`, `wipe-disk`, `wipedisk`, `disk_löschen`. Words that are nouns as well (`commit`, `post`, `run`)
 * count as verbs unless a reading verb comes first: `list_posts` and `get_commit` read.
 */
import { foldText } from '../catalog/scan/reading.ts';

/** From harmless to irreversible. `act` reaches others or runs something; `run` takes code or commands. */
export type NameEffect = 'read' | 'write' | 'act' | 'run' | 'destroy';

const words = (...lines: readonly string[]): string[] =>
  lines.flatMap((line) => line.split(' ')).filter((word) => word !== '');

/**
 * Words by what they do. After a slash come those that are nouns as well: behind a reading verb they are its object, as in
 * `get_commit` or `list_post_comments`.
 */
const VERBS: Readonly<Record<NameEffect, readonly string[]>> = {
  destroy: [
    'delete del remove purge revoke wipe truncate erase destroy terminate uninstall rm rmdir unlink shred nuke obliterate drop kill reset clear flush discard cancel abort ban evict rollback revert overwrite deactivate disconnect suspend prune vacuum cleanup teardown deprovision decommission',
    '/ close archive trash block expire empty detach',
    'loeschen loesche entfernen entferne vernichten zerstoeren widerrufen kuendigen ueberschreiben leeren schliessen archivieren beenden abbrechen zuruecksetzen sperren formatieren verwerfen stornieren',
    'borrar borra eliminar elimina suprimir destruir revocar truncar vaciar desinstalar quitar cerrar archivar matar cancelar anular restablecer formatear terminar descartar bloquear',
    'supprimer supprime effacer efface detruire revoquer tronquer desinstaller vider fermer archiver tuer annuler reinitialiser purger formater retirer enlever bloquer resilier',
    'cancellare cancella eliminare rimuovere rimuovi distruggere revocare svuotare troncare disinstallare chiudere archiviare uccidere annullare azzerare formattare terminare scartare bloccare',
  ],
  run: [
    'exec eval spawn sudo subprocess / shell bash zsh powershell pwsh cmd repl',
    'ausfuehren ejecutar ejecuta executer eseguire esegui',
  ],
  act: [
    'send resend publish republish pay execute rerun redeploy invoke launch notify broadcast dispatch submit buy purchase sell subscribe unsubscribe approve withdraw donate tweet provision restart reboot shutdown kick impersonate grant authorize install announce accept reject decline confirm dismiss join follow unfollow vote claim connect rotate renew regenerate manage unresolve pause resume upgrade downgrade',
    '/ post repost request deploy leave reserve invite transfer run trigger release push merge commit email mail forward reply share trade order book checkout charge refund payout deposit sign mint swap stake bid schedule call dial fax sms message dm scale stop start click fill press upload',
    'senden sende schicken versenden ueberweisen ueberweise bezahlen zahlen kaufen verkaufen bestellen buchen veroeffentlichen einladen starten',
    'enviar envia publicar pagar paga transferir transfiere comprar vender invitar desplegar lanzar reembolsar',
    'envoyer envoie publier payer transferer virer acheter vendre commander inviter deployer lancer rembourser',
    'inviare invia spedire pubblicare pagare trasferire comprare acquistare vendere invitare distribuire lanciare avviare rimborsare',
  ],
  write: [
    'create add update edit write put insert append rename save modify replace register assign unassign attach enable disable configure toggle unmark untag unstar unlock restore migrate apply upsert prioritize reprioritize reorder promote demote adjust increment decrement activate sync load unload mkdir chmod chown unstage rebase resolve reopen unpin mute unmute ingest remember memorize annotate rewrite',
    '/ set move change patch copy duplicate download clone import store mark label tag comment react star fork lock link make touch stage branch init build draft transition pin record bookmark',
    'schreiben schreibe erstellen erstelle anlegen aendern aendere aktualisieren speichern hinzufuegen umbenennen verschieben hochladen bearbeiten setzen einfuegen kopieren',
    'crear crea escribir escribe actualizar editar guardar anadir agregar modificar cambiar mover renombrar subir insertar copiar',
    'creer cree ecrire ecris modifier ajouter enregistrer renommer deplacer televerser editer inserer copier sauvegarder',
    'creare scrivere scrivi aggiornare modificare salvare aggiungere rinominare spostare caricare inserire copiare',
  ],
  read: [
    'get list read search find fetch query describe show lookup retrieve count check inspect explain summarize analyze compare browse validate verify estimate calculate whoami / status view preview diff head tail stat scan peek poll ping lint',
    'lesen lese suchen suche finden anzeigen zeigen auflisten holen abrufen pruefen zaehlen',
    'leer lee buscar busca listar obtener consultar mostrar encontrar ver contar',
    'lire lis chercher rechercher lister obtenir trouver afficher consulter voir compter',
    'leggere leggi cercare cerca elencare ottenere trovare mostrare',
  ],
};

/** From the harmless to the irreversible: of two meanings of a word (French `modifier`) the later one counts. */
const RANK: readonly NameEffect[] = ['read', 'write', 'act', 'run', 'destroy'];
const { effects: EFFECTS, nouns: NOUNS_TOO } = vocabulary();

function vocabulary(): { effects: ReadonlyMap<string, NameEffect>; nouns: ReadonlySet<string> } {
  const effects = new Map<string, NameEffect>();
  const nouns = new Set<string>();
  for (const effect of RANK)
    for (const line of VERBS[effect]) {
      const [plain = '', ambiguous = ''] = line.split('/');
      for (const word of words(plain, ambiguous)) effects.set(word, effect);
      for (const word of words(ambiguous)) nouns.add(word);
    }
  return { effects, nouns };
}

/** After these a second verb begins: `read_and_push`. */
const JOINS: ReadonlySet<string> = new Set(words('and or then und oder y o et ou e after before'));
/** What is run is code: `run_command`, `execute_script`. */
const RUNNERS: ReadonlySet<string> = new Set(words('run execute invoke launch start evaluate call'));
const CODE: ReadonlySet<string> = new Set(
  words('command commands script scripts code program binary terminal javascript python js py applescript'),
);

/** `format_disk` destroys, `format_text` does not. */
const FORMATS: ReadonlySet<string> = new Set(words('format'));
const MEDIA: ReadonlySet<string> = new Set(
  words('disk disks drive drives partition partitions volume volumes'),
);

/** Objects of run-together names. A word that is neither a verb nor one of these is not taken apart: `dropbox`, `settings`. */
const OBJECTS: ReadonlySet<string> = new Set(
  words(
    'cmd file files folder folders dir dirs directory directories disk disks drive drives table tables row rows column columns database databases db data record records all everything any the my user users account accounts note notes page pages item items entry entries document documents doc docs',
    'funds fund money payment payments invoice invoices card cards message messages mail mails email emails command commands code script scripts sql query queries branch branches repo repos repository token tokens key keys session sessions process processes server servers container containers image images pod pods volume volumes bucket buckets object objects index indexes collection collections event events',
    'contact contacts task tasks issue issues project projects ticket tickets channel channels role roles permission permissions logs history cache memory node nodes relation relations entity entities observation observations schema schemas view views backup backups secret secrets password passwords member members team teams group groups webhook webhooks job jobs service services instance instances vm vms',
    'datei dateien ordner archivo archivos fichero fichier fichiers dossier cartella dati datos donnees',
  ),
);

/** Nouns of two words, whose parts are no verbs. */
const NOUNS = /\b(?:pull|merge) requests?\b/g;

/** The strictest thing the name says; undefined where it says nothing. `own` are the words of the server's own name. */
export function effectOfName(name: string, own: ReadonlySet<string> = new Set()): NameEffect | undefined {
  const spoken = spokenWords(name);
  const first = spoken.find((word) => !own.has(word));
  const verb = spoken.find((word) => EFFECTS.has(word) && !own.has(word)) ?? '';
  const reads = EFFECTS.get(verb) === 'read' && !NOUNS_TOO.has(verb);
  let effect: NameEffect | undefined = EFFECTS.get(first ?? '') === 'read' ? 'read' : undefined;
  let isJoined = false;
  for (const word of spoken) {
    const said = EFFECTS.get(word) ?? 'read';
    const isObject = NOUNS_TOO.has(word) && ((reads && !isJoined) || own.has(word));
    if (said !== 'read' && !isObject) effect = stricter(effect, said);
    isJoined = JOINS.has(word);
  }
  const has = (some: ReadonlySet<string>) => spoken.some((word) => some.has(word));
  if (!reads && has(FORMATS) && has(MEDIA)) return 'destroy';
  return !reads && has(RUNNERS) && has(CODE) ? stricter(effect, 'run') : effect;
}

function stricter(a: NameEffect | undefined, b: NameEffect): NameEffect {
  return a !== undefined && RANK.indexOf(a) > RANK.indexOf(b) ? a : b;
}

function spokenWords(name: string): string[] {
  const spoken = wordsOf(plainLetters(name)).join(' ').replace(NOUNS, ' ');
  return spoken
    .split(' ')
    .filter((word) => word !== '')
    .flatMap((word) => takenApart(word) ?? [word]);
}

const UMLAUTS: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  Ä: 'Ae',
  Ö: 'Oe',
  Ü: 'Ue',
};

/** Without accents, look-alikes of other scripts and hidden characters. */
function plainLetters(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return name;
  const german = name.normalize('NFC').replace(/[äöüßÄÖÜ]/g, (letter) => UMLAUTS[letter] ?? letter);
  const plain = german.normalize('NFKD').replace(/\p{M}/gu, '');
  return /^[\x20-\x7e]*$/.test(plain) ? plain : foldText(plain);
}

/** Fast path: most names need no Unicode rules. */
const SNAKE_CASE = /^[a-z]+(?:_[a-z]+)*$/;

/** `deleteAll_files`, `HTTPGet` and `run-2` in words: delete all files, http get, run 2. */
export function wordsOf(name: string): string[] {
  if (SNAKE_CASE.test(name)) return name.split('_');
  return name
    .normalize('NFKC')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/(\p{L})(\p{N})|(\p{N})(\p{L})/gu, '$1$3 $2$4')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

const MIN_JOINED = 6;
const MAX_JOINED = 60;
const MAX_PIECE = 14;

/** `wipedisk` as wipe and disk, where verbs and objects cover it whole; undefined for any other word. */
function takenApart(word: string): string[] | undefined {
  if (word.length < MIN_JOINED || word.length > MAX_JOINED) return undefined;
  if (EFFECTS.has(word) || OBJECTS.has(word)) return undefined;
  /** The pieces of the first `n` characters, for every `n` that has some. */
  const covers = new Map<number, string[]>([[0, []]]);
  for (let end = 2; end <= word.length; end++)
    for (let start = Math.max(0, end - MAX_PIECE); start <= end - 2; start++) {
      const before = covers.get(start);
      const piece = word.slice(start, end);
      if (!before || !isPiece(piece, before)) continue;
      // The longest pieces win: `remove` is not `re` and `move`.
      const known = covers.get(end);
      if (!known || before.length + 1 < known.length) covers.set(end, [...before, piece]);
    }
  const pieces = covers.get(word.length);
  return pieces?.some((piece) => EFFECTS.has(piece)) ? pieces : undefined;
}

/** A short verb counts only at the beginning: `dataset` sets nothing. */
function isPiece(piece: string, before: readonly string[]): boolean {
  if (OBJECTS.has(piece) || (JOINS.has(piece) && before.length > 0 && piece.length > 1)) return true;
  return EFFECTS.has(piece) && (before.length === 0 ? piece.length > 2 : piece.length > 3);
}
