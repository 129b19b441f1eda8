/** The people page: who may log in, and what each may do. A new password is made here and shown once. */
import { randomInt } from 'node:crypto';
import { hashPassword } from '../../oauth/passwords.ts';
import { type Account, carryOut, composedName, type Directory, roleIn } from '../../oauth/users.ts';
import { AppError } from '../../shared/errors.ts';
import { type Html, html } from '../../shared/html.ts';
import { ROLES, type Role } from '../../shared/principal.ts';
import {
  type ConsolePage,
  type Done,
  formOf,
  type PageContent,
  type PageRequest,
  type PostRequest,
  timeOf,
} from '../page.ts';

export const USERS_PATH = '/console/users';

export function usersPage(directory: Directory): ConsolePage {
  return {
    path: USERS_PATH,
    menu: 'People',
    isForAdmins: true,
    show: async (request) => ({ title: 'People', body: listOf(request, await directory.list()) }),
    post: (request) => carryOutForm(request, directory),
  };
}

const ROLE_WORDS: Readonly<Record<Role, string>> = {
  reader: 'apps of theirs only read',
  proposer: 'their changes wait until an admin accepts them',
  writer: 'their changes are made at once',
  admin: 'the same, and sees what others do, and this page',
};

function listOf(request: PageRequest, accounts: readonly Account[]): Html {
  return html`<p>Changes count at once, also for apps that are connected. What a person may do is the most that any app of theirs may do.</p>
<ul>${ROLES.map((role) => html`<li><b>${role}</b>: ${ROLE_WORDS[role]}</li>`)}</ul>
${accounts.map((account) => cardOf(account, request))}
<h2>Add a person</h2>
${formOf(
  request,
  USERS_PATH,
  html`<label>Name <input name="name" required maxlength="64" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
${roleChoice('writer', 'Role')}
<button class="strong" name="action" value="add">Add, and show a password</button>`,
)}`;
}

function cardOf(account: Account, request: PageRequest): Html {
  const { name, role, isDisabled } = account;
  return html`<section class="card"><div class="row"><h2>${name}</h2><span class="end quiet">${isDisabled ? 'disabled' : role}</span></div>
<p class="quiet">${originOf(account)}</p>
${formsOf(account, request)}</section>`;
}

function originOf({ source, addedAt = 0 }: Account): Html {
  switch (source) {
    case 'configuration':
      return html`In the configuration of the server, which alone can change this.`;
    case 'provider':
      return html`Signs in with the identity provider, whose groups decide on the role. First here ${timeOf(addedAt)}`;
    case 'state':
      return html`Added ${timeOf(addedAt)}`;
  }
}

function formsOf({ name, role, isDisabled, source, hash }: Account, request: PageRequest): Html {
  const isSelf = name === request.viewer.user;
  const isOwn = source === 'state';
  const action = isDisabled ? 'enable' : 'disable';
  return formOf(
    request,
    USERS_PATH,
    html`<input type="hidden" name="name" value="${name}"><div class="row">
${isOwn && !isSelf && html`${roleChoice(role, `Role of ${name}`)} <button name="action" value="role" aria-label="Change the role of ${name}">Change</button>`}
${hash !== undefined && !isSelf && html`<button name="action" value="factors" aria-label="Remove second factors of ${name}">Remove second factors</button>`}
${isOwn && html`<button name="action" value="reset" aria-label="New password for ${name}">New password</button>`}
${source !== 'configuration' && !isSelf && html`<button class="danger end" name="action" value="${action}" aria-label="${isDisabled ? 'Enable' : 'Disable'} ${name}">${isDisabled ? 'Enable' : 'Disable'}</button>`}</div>`,
  );
}

function roleChoice(chosen: Role, label: string): Html {
  return html`<label>Role <select name="role" aria-label="${label}">${ROLES.map((role) => html`<option value="${role}"${role === chosen && html` selected`}>${role}</option>`)}</select></label>`;
}

async function carryOutForm(
  { fields, viewer }: PostRequest,
  directory: Directory,
): Promise<Done | PageContent> {
  const name = composedName(fields.get('name') ?? '');
  const done = (notice: string): Done => ({ to: USERS_PATH, notice });
  const action = fields.get('action');
  switch (action) {
    case 'add':
    case 'reset': {
      const role = roleIn(fields.get('role') ?? 'writer');
      const password = newPassword();
      await carryOut(directory, { action, name, role, hash: await hashPassword(password) }, viewer.user);
      return passwordOf(name, password);
    }
    case 'role': {
      assertOther(name, viewer.user);
      const role = roleIn(fields.get('role'));
      await carryOut(directory, { action, name, role }, viewer.user);
      return done(`${name} is ${role} now.`);
    }
    case 'factors':
      assertOther(name, viewer.user);
      await carryOut(directory, { action, name }, viewer.user);
      return done(`${name} logs in with the password alone now, until they set up a second factor again.`);
    case 'disable':
    case 'enable':
      assertOther(name, viewer.user);
      await carryOut(directory, { action, name }, viewer.user);
      return done(
        action === 'disable'
          ? `${name} is disabled: no app of theirs has access any more, and they are signed out.`
          : `${name} may log in again. Apps have to be connected again.`,
      );
    default:
      throw new AppError('invalid_input', 'This form names no action that exists', {
        hint: 'Load the page again.',
      });
  }
}

/** So that there is always an admin who can come back. */
function assertOther(name: string, viewer: string): void {
  if (name !== viewer) return;
  throw new AppError('forbidden', 'You cannot do this to yourself', {
    hint: 'Another admin can. Nothing was changed.',
  });
}

function passwordOf(name: string, password: string): PageContent {
  return {
    title: 'A new password',
    body: html`<p>Give this to <b>${name}</b>. It is shown only now, and is stored nowhere as it is.</p>
<p class="mono" id="password">${password}</p>
<p><a class="button" href="${USERS_PATH}">Back to the list</a></p>`,
  };
}

/** Without letters and digits that look alike. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const GROUPS = 5;
const GROUP_LENGTH = 4;

/** 100 bits: it may be all that stands between the notes and the internet. */
function newPassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}
