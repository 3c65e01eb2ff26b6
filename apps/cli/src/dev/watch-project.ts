import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createIgnoreRules, DEFAULT_PATTERNS, isAlwaysIgnored } from '@berth/client/pack';
import type { Clock, Timer } from '@berth/kit';
import { watch } from 'chokidar';

/** Time to collect changes, because an editor saves several files one after another. */
const SETTLE_MS = 120;
const IGNORE_FILES = ['.gitignore', '.berthignore'];

/**
 * Calls `onChange` after files of a project changed, with one of their paths relative to `folder`. Files that aren't deployed are
 * skipped: ignored files, dependencies, version control.
 */
export async function watchProject(
  folder: string,
  onChange: (path: string) => void,
  { clock }: { readonly clock: Clock },
): Promise<AsyncDisposable> {
  let rules = createIgnoreRules().with('', DEFAULT_PATTERNS);
  for (const file of IGNORE_FILES) {
    rules = rules.with('', await readFile(path.join(folder, file), 'utf8').catch(() => ''));
  }
  const isIgnored = (file: string, isFolder: boolean): boolean => {
    const relative = path.relative(folder, file).split(path.sep).join('/');
    if (relative === '') return false;
    return isAlwaysIgnored(path.basename(file)) || rules.isIgnored(isFolder ? `${relative}/` : relative);
  };
  const watcher = watch(folder, {
    ignored: (file, stats) => isIgnored(file, stats?.isDirectory() === true),
    ignoreInitial: true,
  });
  let timer: Timer | undefined;
  watcher.on('all', (_event, file) => {
    timer?.cancel();
    timer = clock.setTimer(SETTLE_MS, () => onChange(path.relative(folder, file) || '.'));
  });
  await new Promise<void>((resolve, reject) => {
    watcher.once('ready', resolve);
    watcher.once('error', reject);
  });
  return {
    [Symbol.asyncDispose]: async () => {
      timer?.cancel();
      await watcher.close();
    },
  };
}
