import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { berth, defineAgent, dev } from '@berth/agent';

/** The notes of a workspace, among its files. */
const NOTES = 'notes.md';

const readNotes = (folder: string) => readFile(path.join(folder, NOTES), 'utf8').catch(() => '');

/** What is noted, whoever notes it, until the turn is stopped. */
async function* follow(folder: string, signal: AbortSignal): AsyncGenerator<string> {
  yield 'Watching.\n';
  for (let shown = 0; !signal.aborted; ) {
    const notes = await readNotes(folder);
    yield notes.slice(shown);
    shown = notes.length;
    await setTimeout(1_000, undefined, { signal }).catch(() => {});
  }
}

const agent = defineAgent({
  name: 'agent-team',
  title: 'Team notes',
  description: 'Keeps notes for you, and for the teams you work in.',
  // An organization is an account of the platform, its admins are the account's owners.
  auth: process.env['K_SERVICE'] ? berth() : dev(),
  // Everyone may make a team.
  workspaces: 'member',
  async *handler({ messages, user, workspace, signal }) {
    const content = messages.at(-1)?.content ?? '';
    const note = typeof content === 'string' ? content.trim() : '';
    if (note === 'watch') return yield* follow(workspace.folder, signal);
    if (note !== 'read') {
      // The chat is the person's own; the file is everyone's who works in the workspace.
      await mkdir(workspace.folder, { recursive: true });
      await appendFile(path.join(workspace.folder, NOTES), `- ${user?.name ?? user?.id}: ${note}\n`);
    }
    yield `${(await readNotes(workspace.folder)) || 'Nothing is noted yet.'}\n[${NOTES}](/files/${NOTES})`;
  },
});

await agent.listen();
