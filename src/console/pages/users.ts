/** The people page: who may log in, and what each may do. A new password is made here and shown once. */
import { randomInt } from 'node:crypto';
import { hashPassword } from '../../oauth/passwords.ts';
import { type Account, carryOut, type Directory, roleIn } from '../../oauth/users.ts';
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
  reader: 'Reader: apps of theirs only read',
  proposer: 'Proposer: their changes wait for a review',
  writer: 'Writer: their changes are made at once',
  admin: 'Admin: also sees what others do, and this page',
};

function listOf(request: PageRequest, accounts: readonly Account[]): Html {
  return html`<p>Changes count at once, also for apps that are connected. What a person may do is the most that any app of theirs may do.</p>
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
  const { name, role, source, isDisabled, addedAt } = account;
  return html`<section class="card"><div class="row"><h2>${name}</h2><span class="end quiet">${isDisabled ? 'disabled' : role}</span></div>
<p class="quiet">${source === 'configuration' ? 'In the configuration of the server, which alone can change this.' : html`Added ${timeOf(addedAt ?? 0)}`}</p>
${source !== 'configuration' && formsOf(account, request)}</section>`;
}

function formsOf({ name, role, isDisabled }: Account, request: PageRequest): Html {
  const isSelf = name === request.viewer.user;
  const action = isDisabled ? 'enable' : 'disable';
  return formOf(
    request,
    USERS_PATH,
    html`<input type="hidden" name="name" value="${name}"><div class="row">
${!isSelf && html`${roleChoice(role, `Role of ${name}`)} <button name="action" value="role" aria-label="Change the role of ${name}">Change</button>`}
<button name="action" value="reset" aria-label="Make a new password for ${name}">New password</button>
${!isSelf && html`<button class="danger end" name="action" value="${action}" aria-label="${isDisabled ? 'Enable' : 'Disable'} ${name}">${isDisabled ? 'Enable' : 'Disable'}</button>`}</div>`,
  );
}

function roleChoice(chosen: Role, label: string): Html {
  return html`<label>Role <select name="role" aria-label="${label}">${ROLES.map((role) => html`<option value="${role}"${role === chosen && html` selected`}>${ROLE_WORDS[role]}</option>`)}</select></label>`;
}

async function carryOutForm(
  { fields, viewer }: PostRequest,
  directory: Directory,
): Promise<Done | PageContent> {
  const name = fields.get('name') ?? '';
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
    case 'disable':
    case 'enable':
      assertOther(name, viewer.user);
      await carryOut(directory, { action, name }, viewer.user);
      return done(
        action === 'disable'
          ? `${name} is disabled: no app of theirs has access any more, and they are signed out.`
          : `${name} may log in again. Apps have to be connected anew.`,
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
