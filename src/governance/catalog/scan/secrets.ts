/** Secrets that are known by their form, whatever they are called. */

const FORMS: readonly RegExp[] = [
  /\bsk-(?:ant-|proj-|live-)?[\w-]{20,200}/g,
  /\b[rs]k_(?:live|test)_\w{16,200}/g,
  /\bgh[pousr]_\w{30,255}/g,
  /\bgithub_pat_\w{30,255}/g,
  /\bglpat-[\w-]{20,100}/g,
  /\bxox[abprs]-[\w-]{10,200}/g,
  /\b(?:AKIA|ASIA)[A-Z\d]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\bnpm_\w{36}\b/g,
  /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}/g,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/g,
];

export function hasSecret(text: string): boolean {
  return FORMS.some((form) => text.search(form) >= 0);
}

export function maskSecrets(text: string): string {
  return FORMS.reduce((masked, form) => masked.replace(form, '[redacted]'), text);
}
