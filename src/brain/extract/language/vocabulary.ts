/**
 * The words by which people of one language mark tasks, decisions and the parts of a meeting, as sources of regular
 * expressions.
 */
export type SectionKind =
  | 'actions'
  | 'absent'
  | 'agenda'
  | 'attendees'
  | 'decisions'
  | 'follow_ups'
  | 'notes'
  | 'parking'
  | 'questions'
  | 'risks'
  | 'waiting';

/** What a word before a colon says about the line. */
export type MarkerKind = 'todo' | 'openloop' | 'question' | 'waiting_for' | 'follow_up' | 'decision';

/** What a sentence says, by its words. */
export type PhraseKind =
  | 'waiting'
  | 'notWaiting'
  /** Words of waiting that are also said of other things. */
  | 'pending'
  | 'followUp'
  | 'undecided'
  /** Something is left to do. */
  | 'remaining'
  /** Somebody ought to do something. */
  | 'duty'
  /** Behind a name: what they are going to do. */
  | 'intention'
  /** Behind a name: an action in the present tense. */
  | 'present'
  | 'decided'
  /** Said of decisions, but also of other things. */
  | 'settled'
  | 'notDecided';

export interface Vocabulary {
  /** Whole headings, in lower case. */
  readonly sections: Readonly<Partial<Record<SectionKind, string>>>;
  /** `rare` words mark a line anywhere, `common` ones only in a record of people's work. */
  readonly markers: Readonly<
    Partial<Record<MarkerKind, { readonly rare?: string; readonly common?: string }>>
  >;
  readonly phrases: Readonly<Partial<Record<PhraseKind, string>>>;
  /** Words in the name or title of a note that records a meeting. */
  readonly records: string;
  /** Columns of a table of tasks or decisions. */
  readonly columns: Readonly<Partial<Record<ColumnKind, string>>>;
}

export type ColumnKind = 'action' | 'decision' | 'owner' | 'due' | 'status' | 'done';
