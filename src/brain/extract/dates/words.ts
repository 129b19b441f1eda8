/** Names of days, months and numbers in the languages dates are read in: English, German, French, Spanish. */
const WEEKDAYS = [
  'monday mon montag lundi lunes',
  'tuesday tues tue dienstag mardi martes',
  'wednesday wed mittwoch mercredi miércoles miercoles',
  'thursday thurs thur thu donnerstag jeudi jueves',
  'friday fri freitag vendredi viernes',
  'saturday sat samstag sonnabend samedi sábado sabado',
  'sunday sun sonntag dimanche domingo',
];

const MONTHS = [
  'january jan januar jänner janvier enero',
  'february feb februar février fevrier febrero',
  'march mar märz maerz mars marzo',
  'april apr avril abril',
  'may mai mayo',
  'june jun juni juin junio',
  'july jul juli juillet julio',
  'august aug août aout agosto',
  'september sept sep septembre septiembre',
  'october oct oktober okt octobre octubre',
  'november nov novembre noviembre',
  'december dec dezember dez décembre decembre diciembre',
];

const NUMBERS = [
  'a an one ein eine einem einer un une una',
  'two zwei deux dos',
  'three drei trois tres',
  'four vier quatre cuatro',
  'five fünf cinq cinco',
  'six sechs seis',
  'seven sieben sept siete',
  'eight acht huit ocho',
  'nine neun neuf nueve',
  'ten zehn dix diez',
];

function indexed(rows: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    rows.flatMap((row, index) => row.split(' ').map((word): [string, number] => [word, index + 1])),
  );
}

const weekdays = indexed(WEEKDAYS);
const months = indexed(MONTHS);
const numbers = indexed(NUMBERS);

/** Words of their own when they are not written as names. */
const COMMON = new Set(['mon', 'sat', 'sun', 'wed']);

export function weekdayNamed(word: string): number | undefined {
  return COMMON.has(word) ? undefined : weekdays.get(word.toLowerCase());
}

export function monthNamed(word: string): number | undefined {
  return months.get(word.toLowerCase());
}

export function numberNamed(word: string): number | undefined {
  return /^\d{1,3}$/.test(word) ? Number(word) : numbers.get(word.toLowerCase());
}
