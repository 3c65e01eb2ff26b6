import { Button, ErrorNote, Form } from '@berth/ui';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRead } from '../../api/use-read.ts';
import { CodeNameField } from '../../components/fields.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Page where a person approves the sign-in of a device, as requested by `berth login` (RFC 8628 section 3.3). */
export function DevicePage() {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const [typed, setTyped] = useState(() => new URLSearchParams(location.search).get('code') ?? '');
  // The code of a link is shown for comparison with the device's, because an attacker may have sent the link.
  const [code, setCode] = useState('');
  const device = useRead(
    QUERY_KEYS.device(code),
    (client, signal) => client.get('/v1/user/device', { params: { query: { user_code: code } }, signal }),
    { enabled: code !== '' },
  );
  const lookUp = () => {
    // A code that couldn't be looked up is asked for again; setting the same one would change nothing.
    if (typed.trim() === code) void device.refetch();
    else setCode(typed.trim());
  };
  const decide = useMutation({
    mutationFn: (approve: boolean) => client.post('/v1/user/device', { body: { user_code: code, approve } }),
  });
  return (
    <div className="mx-auto max-w-sm">
      <PageHead
        title={t('device.title')}
        command={
          device.data && code !== '' && !decide.isSuccess
            ? {
                http: { method: 'POST', path: '/v1/user/device', body: { user_code: code, approve: true } },
                secret: 'session',
              }
            : undefined
        }
      />
      {decide.isSuccess ? (
        <p role="status">{t(decide.variables ? 'device.approved' : 'device.denied')}</p>
      ) : (
        <Form onSubmit={lookUp}>
          <p className="text-ink-soft">{t('device.text')}</p>
          <CodeNameField
            label={t('device.code')}
            value={typed}
            onChange={(value) => {
              setTyped(value);
              setCode('');
            }}
            required
            maxLength={20}
            autoCapitalize="characters"
          />
          {device.data && code !== '' ? (
            <section className="flex flex-col gap-1 rounded-md border border-line p-4">
              <h2 className="font-semibold">{t('device.asks')}</h2>
              <p className="break-words">
                {t('device.name')}: <bdi>{device.data.device_name}</bdi>
              </p>
              <p className="mb-3 text-ink-soft">{t('device.from', { address: device.data.address ?? '–' })}</p>
              <div className="flex flex-wrap items-center gap-2">
                <Button look="primary" isBusy={decide.isPending} onClick={() => decide.mutate(true)}>
                  {t('device.approve')}
                </Button>
                <Button isBusy={decide.isPending} onClick={() => decide.mutate(false)}>
                  {t('device.deny')}
                </Button>
              </div>
            </section>
          ) : (
            <Button look="primary" type="submit" isBusy={device.isFetching}>
              {t('passkeys.confirm.submit')}
            </Button>
          )}
          {(decide.error ?? device.error) && <ErrorNote error={decide.error ?? device.error} />}
        </Form>
      )}
    </div>
  );
}
