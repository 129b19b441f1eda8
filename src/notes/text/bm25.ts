/** Okapi BM25 (Robertson and Walker 1994), with the IDF of Lucene, which is never below zero. */

const K1 = 1.5;
const B = 0.75;
/** Term frequency saturation: the tenth occurrence says less than the first, and less in a long document. */
const AT_NO_LENGTH = K1 * (1 - B);
const PER_LENGTH = K1 * B;

/** No frequency makes `saturation` greater. */
export const MAX_SATURATION = K1 + 1;

/** Inverse document frequency. A frequency that was estimated may exceed the number of documents. */
export function idf(documentFrequency: number, documents: number): number {
  return Math.log(1 + (Math.max(0, documents - documentFrequency) + 0.5) / (documentFrequency + 0.5));
}

/** `relativeLength`: of the document, 1 for the average. */
export function saturation(termFrequency: number, relativeLength: number): number {
  return (termFrequency * MAX_SATURATION) / (termFrequency + AT_NO_LENGTH + PER_LENGTH * relativeLength);
}
