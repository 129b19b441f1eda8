// What happened, as a table: the faults, the load, and what must be zero.
import { markdownTable } from '../table.mjs';

export function reportOf({ minutes, seed, counts, made, notes, missing, undone, audit, ...ended }) {
  const { refused, lost, followed, called } = ended;
  const sum = (all, name) => all.reduce((total, one) => total + (name ? one[name] : one), 0);
  const ofKind = ({ done, failed, longestGapMs }) =>
    `${done} done, ${failed} failed, at most ${seconds(longestGapMs)} without one`;
  for (const [kind, { errors }] of Object.entries(counts))
    for (const [error, count] of errors) process.stderr.write(`${kind}: ${count} times ${error}\n`);
  const told = Math.max(...followed.map(({ slowestMs }) => slowestMs));
  const zero = (count, more = '') => `**${count}**${more}`;
  return markdownTable(
    [`${minutes} minutes, seed ${seed}`, ''],
    [
      ...[...made].map(([name, count]) => [name, `${count} times`]),
      ['writes', ofKind(counts.write)],
      ['refreshes of tokens', ofKind(counts.refresh)],
      ['calls in sessions', ofKind(counts.session)],
      [
        'streams of subscriptions',
        `${sum(followed, 'events')} events, ${sum(followed, 'resumed')} times resumed, told after at most ${seconds(told)}`,
      ],
      [
        'long calls',
        `${sum(called, 'answered')} answered, ${sum(called, 'lost')} \`replica_lost\`, ${sum(called, 'unbegun')} not begun; ${sum(called, 'events')} events, ${sum(called, 'resumed')} times resumed`,
      ],
      ['acknowledged notes that are missing or wrong', zero(missing.length, ` of ${notes.size}`)],
      ['acknowledged changes that cannot be undone', zero(undone.left.length, ` of ${undone.tried} tried`)],
      ['clients or tokens refused', zero(sum(refused))],
      ['sessions lost', zero(sum(lost) + sum(followed, 'lost'))],
      ['streams that could not be resumed', zero(sum(followed, 'refused') + sum(called, 'refused'))],
      ['events that came twice', zero(sum(followed, 'twice') + sum(called, 'twice'))],
      ['acknowledged changes never told', zero(sum(followed, 'never'), ` of ${sum(followed, 'changes')}`)],
      ['long calls without an answer or a named error', zero(sum(called, 'silent'))],
      ['the audit log verifies', audit === 0 ? 'yes' : '**no**'],
    ],
  );
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
