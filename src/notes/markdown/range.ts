/** A half-open stretch of a text, in UTF-16 code units. */
export interface Range {
  readonly start: number;
  readonly end: number;
}
