import type { Attachment } from '@berth/contract/agent';
import type { Api } from './api.ts';
import { randomText } from './sign-in/pkce.ts';

/**
 * Puts a file into the workspace, for a message to name. Source: spec agent-api 2, "attachments".
 * @throws with a reason for the person
 */
export async function uploadFile(api: Api, file: File, maxMib: number): Promise<Attachment> {
  if (file.size > maxMib * 1024 * 1024) throw new Error(`files have at most ${maxMib} MB`);
  const path = `attachments/${randomText().slice(0, 8)}-${file.name.replaceAll(/[/\\]/g, '_')}`;
  const url = `/files/${path.split('/').map(encodeURIComponent).join('/')}`;
  const type = file.type || 'application/octet-stream';
  await api.send(url, { method: 'PUT', headers: { 'Content-Type': 'application/octet-stream' }, body: file });
  return { name: file.name, size: file.size, type, url, path };
}
