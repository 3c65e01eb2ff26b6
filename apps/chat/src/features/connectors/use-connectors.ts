import type { ConnectorRow } from '@berth/contract/agent';
import { useCallback, useEffect, useState } from 'react';
import type { Api } from '../../api/api.ts';

/** Reads the connectors that the person can see. `rows` is undefined while they load; `refresh` reads them again. */
export function useConnectors(api: Api) {
  const [rows, setRows] = useState<readonly ConnectorRow[] | undefined>();
  const [error, setError] = useState<unknown>();
  const refresh = useCallback(async () => {
    try {
      setRows(await api.get('/connectors'));
      setError(undefined);
    } catch (failure) {
      setError(failure);
    }
  }, [api]);
  useEffect(() => void refresh(), [refresh]);
  return { rows, error, refresh };
}
