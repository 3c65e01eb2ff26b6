import { ErrorNote, Skeleton } from '@berth/ui';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';

interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  /** Number of rows of the placeholder. */
  readonly rows: number;
  /** Shown for an empty list. */
  readonly empty?: ReactNode;
  children(data: Data): ReactNode;
}

/** Renders the data of a query; until there is some, a placeholder, or the error with a Retry button. */
export function Loaded<Data>({ query: { data, error, refetch }, rows, empty, children }: LoadedProps<Data>) {
  if (data === undefined) {
    return error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton rows={rows} />;
  }
  return empty !== undefined && Array.isArray(data) && data.length === 0 ? empty : children(data);
}
