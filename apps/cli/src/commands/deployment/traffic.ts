import type { Client } from '@berth/client';
import type { DeploymentDetail, Traffic } from '@berth/contract';
import { createError } from '@berth/contract/errors';
import { defineCommand } from '../../command/command.ts';
import { YES_OPTION } from '../../command/define-removal.ts';
import { restoreRevision } from '../../deploy/restore-revision.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { LINKED_WORD, requireName } from '../../link/linked-name.ts';
import { cleanText } from '../../output/clean-text.ts';
import type { Output } from '../../output/output.ts';

/** Stands for the newest ready revision, as the only value of `--to`. */
const LATEST = 'latest';

/** `berth traffic`. */
export const traffic = defineCommand({
  name: 'traffic',
  summary: 'Show or change how requests are spread over revisions',
  description:
    'A split sends whole percentages of the requests to other revisions; the current revision gets the rest. A cookie keeps ' +
    'a browser on its revision. A tag gives a revision an address of its own, https://<tag>---<name>.<domain>, with or ' +
    'without traffic. A deploy or a rollback ends a split; tags stay.',
  words: LINKED_WORD,
  options: {
    '--to <revision=percent>': {
      description: 'Share of a revision; a revision alone, or "latest", gets all traffic',
      isRepeatable: true,
    },
    '--tag <tag=revision>': { description: 'Give a revision a tag', isRepeatable: true },
    '--untag <tag>': { description: 'Remove a tag', isRepeatable: true },
    ...YES_OPTION,
  },
  examples: [
    ['berth traffic my-app', 'shows the split and the addresses of tags'],
    ['berth traffic my-app --to my-app-00002-abc=10', '10 % for this revision, the rest for the current one'],
    ['berth traffic my-app --to latest', 'all traffic for the newest revision; ends a split'],
    ['berth traffic my-app --tag beta=my-app-00002-abc', 'an address for this revision'],
    ['berth traffic my-app --untag beta', 'removes the address'],
  ],
  async run({ words: [word], options: { to = [], tag = [], untag = [], yes } }, context) {
    const name = await requireName(word, context);
    const client = await context.connect();
    const { output } = context;
    const setTags = Object.fromEntries(tag.map((text) => readPair(text, '--tag')));
    const [alone] = to.filter((text) => !text.includes('='));
    if (alone !== undefined && to.length > 1)
      throw new UsageError('--to with a revision alone, or "latest", is given once.');
    const split =
      alone === undefined && to.length > 0 ? Object.fromEntries(to.map((text) => readShare(text))) : undefined;
    if (alone === undefined && (split || tag.length + untag.length > 0)) {
      return show(name, await change(client, name, { split, setTags, untag }), output);
    }
    const deployment = await client.get('/v1/deployment/{name}', { params: { path: { name } } });
    if (alone === undefined) return show(name, requireTraffic(name, deployment), output);
    const revision = alone === LATEST ? newestOf(name, deployment) : alone;
    if (revision === deployment.revision) {
      return show(name, await change(client, name, { split: {}, setTags, untag }), output);
    }
    if (tag.length + untag.length > 0) await change(client, name, { setTags, untag });
    return restoreRevision({ name, revision, yes, question: (one) => `Send all traffic to ${one}?` }, context);
  },
});

interface Change {
  readonly split?: Readonly<Record<string, number>> | undefined;
  readonly setTags: Readonly<Record<string, string>>;
  readonly untag: readonly string[];
}

function change(client: Client, name: string, { split, setTags, untag }: Change): Promise<Traffic> {
  const body = { name, ...(split ? { split } : {}), set_tags: setTags, remove_tags: [...untag] };
  return client.post('/v1/deployment/traffic', { body });
}

/** Prints the split and the tags. @returns the exit code */
function show(name: string, { split, tags, canary }: Traffic, output: Output): number {
  output.json({ split, tags, canary });
  output.table(split, [
    {
      heading: 'REVISION',
      text: (row) => (row.revision === split[0]?.revision ? `${row.revision} (current)` : row.revision),
    },
    { heading: 'TRAFFIC', text: (row) => `${row.percent}%` },
    {
      heading: 'TAGS',
      text: (row) =>
        tags
          .filter((one) => one.revision === row.revision)
          .map(({ tag }) => tag)
          .join(', ') || '-',
    },
  ]);
  if (tags.length > 0) {
    output.print('');
    output.table(tags, [
      { heading: 'TAG', text: (row) => row.tag },
      { heading: 'REVISION', text: (row) => row.revision },
      { heading: 'URL', text: (row) => row.url, paint: output.style.cyan },
    ]);
  }
  if (canary) {
    output.say(
      cleanText(
        `${canary.revision} is a canary until ${canary.ends_at}. \`berth cancel ${canary.deploy_id}\` ends it.`,
      ),
    );
  } else if (split.length > 1) output.say(`\`berth traffic ${name} --to latest\` ends the split.`);
  return 0;
}

function requireTraffic(name: string, { traffic: found }: DeploymentDetail): Traffic {
  if (found) return found;
  throw createError('conflict', `No revision of "${name}" is live yet. Deploy it first.`);
}

function newestOf(name: string, { revisions }: DeploymentDetail): string {
  const newest = revisions.find(({ status }) => status === 'ready');
  if (newest) return newest.revision;
  throw createError('conflict', `"${name}" has no ready revision. Deploy it first.`);
}

function readPair(text: string, flag: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
  throw new UsageError(`${flag} ${text}: give TAG=REVISION, e.g. beta=my-app-00002-abc.`);
}

function readShare(text: string): [string, number] {
  const [, revision = '', percent = ''] = /^(.+)=(\d{1,3})%?$/.exec(text) ?? [];
  if (revision !== '' && Number(percent) <= 100) return [revision, Number(percent)];
  throw new UsageError(`--to ${text}: give REVISION=PERCENT with a whole number up to 100, e.g. my-app-00002-abc=10.`);
}
