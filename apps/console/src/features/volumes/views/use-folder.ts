import type { ObjectsPage } from '@berth/contract';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';

/** The entries of a folder that were loaded so far. */
export interface FolderListing {
  /** Undefined until the first page is loaded. */
  readonly entries: { readonly folders: readonly string[]; readonly files: ObjectsPage['objects'] } | undefined;
  readonly error: Error | null;
  readonly hasMore: boolean;
  refetch(): void;
  /** Loads the next page, unless there is none or it is already being loaded. */
  readMore(): void;
}

/** Returns the entries of `folder` whose names begin with `start`. */
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
    // The previous matches stay visible while the person types; another folder starts empty.
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
