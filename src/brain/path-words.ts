/** The words of a path: of its folders, and of the file without its kind. Titles are often written there and nowhere else. */
export function pathWords(path: string): string {
  return path.replace(/\.\p{L}+$/u, '').replace(/[^\p{L}\p{N}]+/gu, ' ');
}
