export const ADMONITIONS: readonly string[] = ['note', 'tip', 'important', 'caution', 'warning'];
