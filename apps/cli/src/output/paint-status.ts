import type { DeploymentStatus, Revision } from '@berth/contract';
import type { Style } from './style.ts';

/** Colors `text` by the status of a deployment or a revision. */
export function paintStatus(status: DeploymentStatus | Revision['status'], text: string, style: Style): string {
  if (status === 'ready') return style.green(text);
  if (status === 'failed') return style.red(text);
  return status === 'retired' || status === 'stopped' ? style.dim(text) : style.yellow(text);
}
