import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { rangeMs } from '../../../components/time-range/time-range.ts';
import { type KnownFields, readKnownFields } from '../state/known-fields.ts';
import type { LogsView } from '../state/logs-view.ts';

/** Values of a field that are offered while one is written. */
const VALUES = 50;
const STALE_MS = 60_000;
/** Between the last key and the question for values that hold what is written. */
const DEBOUNCE_MS = 250;
const WRITTEN_LEAST = 2;

/**
 * The fields that the view's entries have, whatever its filter; asked once it is wanted. Of a field with more values than
 * were told, those that hold what is being written are asked for.
 */
export function useKnownFields(
  view: LogsView,
  isWanted: boolean,
  written: { readonly field: string; readonly written: string } | undefined,
): KnownFields {
  const { client } = useConsole();
  const ask = async (query: string | undefined, signal: AbortSignal) => {
    const { fromMs, toMs } = rangeMs(view.range, Date.now());
    const span = { since: new Date(fromMs).toISOString(), until: new Date(toMs).toISOString() };
    const request = { deployment_name: view.deployment, ...span, values: VALUES, query };
    return readKnownFields(await client.post('/v1/deployment/logs/fields', { body: request, signal }));
  };
  const { data: known } = useQuery({
    queryKey: QUERY_KEYS.logFields(view.deployment, view.range),
    queryFn: ({ signal }) => ask(undefined, signal),
    staleTime: STALE_MS,
    enabled: isWanted,
    placeholderData: keepPreviousData,
  });
  const text = written?.written.replaceAll('"', '') ?? '';
  const isNarrow = written !== undefined && text.length >= WRITTEN_LEAST && known?.get(written.field)?.hasMore === true;
  const narrow = useDebounced(isNarrow ? `${written.field}:${JSON.stringify(text)}` : '', DEBOUNCE_MS);
  const { data: more } = useQuery({
    queryKey: QUERY_KEYS.logFields(view.deployment, view.range, narrow),
    queryFn: ({ signal }) => ask(narrow, signal),
    staleTime: STALE_MS,
    enabled: narrow !== '',
  });
  const name = written?.field ?? '';
  return useMemo(() => {
    const field = more?.get(name);
    return field ? new Map([...(known ?? []), [field.name, field]]) : (known ?? new Map());
  }, [known, more, name]);
}

function useDebounced<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
