import type { ObjectsPage } from '@berth/contract';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';

/** A folder of a volume, as far as it is read. */
export interface FolderListing {
  /** Undefined while nothing is read yet. */
  readonly entries: { readonly folders: readonly string[]; readonly files: ObjectsPage['objects'] } | undefined;
  readonly error: Error | null;
  readonly hasMore: boolean;
  refetch(): void;
  /** Reads the next page, if there is one and it isn't being read. */
  readMore(): void;
}

/** What lies in `folder` under names that begin with `start`. */
export function useFolder(volume: string, folder: string, start: string): FolderListing {
  const { client } = useConsole();
  const prefix = folder + start;
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: QUERY_KEYS.folder(volume, folder, start),
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      client.get('/v1/volume/objects', {
        params: { query: { volume, prefix, delimiter: '/', page_token: pageParam || undefined } },
        signal,
      }),
    getNextPageParam: ({ next_page_token }) => next_page_token,
    // While somebody types, what was found stays until more is known; another folder begins empty.
    placeholderData: (before, query) => (query?.queryKey[2] === folder ? keepPreviousData(before) : undefined),
  });
  return {
    entries: data && {
      folders: [...new Set(data.pages.flatMap((page) => page.folders ?? []))],
      files: data.pages.flatMap(({ objects }) => objects),
    },
    error,
    hasMore: hasNextPage,
    refetch: () => void refetch(),
    readMore() {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
  };
}
