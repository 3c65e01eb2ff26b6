import path from 'node:path';
import { parseMemory } from '@berth/contract';
import { createWebhookAccess } from '@berth/control';
import { createGit, type Git } from '@berth/git';
import type { Config } from '../config/read-config.ts';
import type { Machine } from '../machine/machine.ts';

/** Opens Git, which runs in a sandbox. Without a sandbox, its calls throw `not_available`. */
export function openGit(config: Config, { git, workRoot }: Pick<Machine, 'git' | 'workRoot'>): Git {
  const packBytes = config.gitLimit === undefined ? undefined : parseMemory(config.gitLimit);
  const { resolve, isAllowed } = createWebhookAccess(config.webhookNetworks);
  return createGit({
    sandbox: git?.sandbox,
    workFolder: path.join(git?.workRoot ?? workRoot, 'git'),
    limits: packBytes === undefined ? {} : { packBytes },
    ...{ resolve, isAllowed },
  });
}
