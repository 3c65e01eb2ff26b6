import { createError } from '@berth/contract';
import type { Examples } from '@berth/contract/agent';
import { BerthError, describeError, type Logger } from '@berth/kit';
import { sharedData, sharePagePath } from '../shares/share-view.ts';
import type { OpenShare, Shares } from '../shares/shares.ts';
import { type ExampleCategory, parseSharePath } from './site-options.ts';

type ExampleItem = Examples['categories'][number]['items'][number];

/** Returns the example conversations. Leaves out shares that are gone or not public, and categories without shares. */
export async function resolveExamples(
  categories: readonly ExampleCategory[],
  shares: Pick<Shares, 'open'>,
  logger: Logger,
): Promise<Examples> {
  const resolved = await Promise.all(
    categories.map(async ({ label, shares: addresses }) => {
      const items = await Promise.all(addresses.map((address) => resolveExample(address, shares, logger)));
      return { label, items: items.filter((item) => item !== undefined) };
    }),
  );
  return { categories: resolved.filter(({ items }) => items.length > 0) };
}

async function resolveExample(
  address: string,
  shares: Pick<Shares, 'open'>,
  logger: Logger,
): Promise<ExampleItem | undefined> {
  const place = parseSharePath(address);
  if (!place) return undefined;
  try {
    const open = await shares.open({ user: place.owner, ws: place.workspaceId }, place.token, async () => {
      throw createError('forbidden', 'not public');
    });
    const data = sharedData(open, place.token);
    return {
      share: sharePagePath(open.home, place.token),
      title: open.share.title,
      prompt: promptOf(open),
      file: data.type === 'file' ? data.url : null,
    };
  } catch (error) {
    // A BerthError means that the share was revoked, has expired or isn't public.
    if (!BerthError.is(error)) logger.warn({ error: describeError(error) }, 'an example cannot be read');
    return undefined;
  }
}

/** Returns the text of the first user message. */
function promptOf({ messages = [] }: OpenShare): string {
  const content = messages.find((message) => message.role === 'user')?.content ?? '';
  if (typeof content === 'string') return content;
  return content.map((part) => ('text' in part ? part.text : '')).join('');
}
