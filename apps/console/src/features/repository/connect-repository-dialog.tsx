import type { ForgeKind } from '@berth/contract';
import { Button, Dialog, Field, Form, FormActions, quote, Select, Switch } from '@berth/ui';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { ShowOnceDialog } from '../../components/show-once-dialog.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Names of the forges, which no language translates. */
const FORGES: readonly (readonly [ForgeKind, string])[] = [
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['gitea', 'Gitea'],
  ['forgejo', 'Forgejo'],
];
const AUTO = '';

/** Dialog that connects a deployment to a repository, and shows the secret of a webhook that is to be created by hand. */
export function ConnectRepositoryDialog({ name, onClose }: { readonly name: string; onClose(): void }) {
  const { t } = useConsoleTexts();
  const [url, setUrl] = useState('');
  const [forge, setForge] = useState<ForgeKind | typeof AUTO>(AUTO);
  const [branch, setBranch] = useState('main');
  const [folder, setFolder] = useState('');
  const [token, setToken] = useState('');
  const [deployKey, setDeployKey] = useState(false);
  const [previews, setPreviews] = useState(false);
  const shown = {
    ...{ deployment_name: name, url, branch, previews },
    ...(forge === AUTO ? {} : { forge }),
    ...(folder === '' ? {} : { folder }),
    ...(deployKey ? { deploy_key: true } : {}),
  };
  const body = { ...shown, ...(token === '' ? {} : { token }) };
  const connect = useAction((client) => client.post('/v1/repositories', { body }), {
    refreshes: [QUERY_KEYS.repository(name)],
    said: () => t('repository.connected', { name }),
    onDone: ({ hook_secret }) => hook_secret === null && onClose(),
  });
  if (connect.data?.hook_secret) {
    const { hook_secret: secret, hook_url: hookUrl } = connect.data;
    const text = t('repository.secret.text', { url: hookUrl });
    return <ShowOnceDialog title={t('repository.secret.title')} text={text} code={secret} onClose={onClose} />;
  }
  // The token stays out of the command, which would end up in the shell history.
  const cli = [
    `npx berth repo connect ${name} ${quote(url || 'https://github.com/me/app')}`,
    ...(branch === 'main' ? [] : [`--branch ${quote(branch)}`]),
    ...(forge === AUTO ? [] : [`--forge ${forge}`]),
    ...(folder === '' ? [] : [`--folder ${quote(folder)}`]),
    ...(token === '' ? [] : ['--token-stdin']),
    ...(deployKey ? ['--deploy-key'] : []),
    ...(previews ? ['--previews'] : []),
  ].join(' ');
  return (
    <Dialog
      command={{ cli, http: { method: 'POST', path: '/v1/repositories', body: shown } }}
      title={t('repository.connect')}
      isOpen
      onClose={onClose}
    >
      <Form onSubmit={() => connect.mutate()} error={connect.error}>
        <Field
          label={t('repository.url')}
          name="url"
          hint={t('repository.url.hint')}
          type="url"
          dir="ltr"
          value={url}
          onChange={setUrl}
          required
          autoComplete="off"
        />
        <Select<ForgeKind | typeof AUTO>
          label={t('repository.forge')}
          value={forge}
          onChange={setForge}
          options={[
            { value: AUTO, label: t('repository.forge.auto') },
            ...FORGES.map(([value, label]) => ({ value, label })),
          ]}
        />
        <Field label={t('repository.branch')} name="branch" dir="ltr" value={branch} onChange={setBranch} required />
        <Field
          label={t('repository.folder')}
          name="folder"
          hint={t('repository.folder.hint')}
          dir="ltr"
          value={folder}
          onChange={setFolder}
          autoComplete="off"
        />
        <Field
          label={t('repository.token')}
          name="token"
          hint={t('repository.token.hint')}
          type="password"
          dir="ltr"
          value={token}
          onChange={setToken}
          autoComplete="off"
        />
        <Switch label={t('repository.deployKey')} isOn={deployKey} onChange={setDeployKey} />
        <Switch label={t('repository.previews')} isOn={previews} onChange={setPreviews} />
        <FormActions>
          <Button look="primary" type="submit" isBusy={connect.isPending} disabled={url === '' || branch === ''}>
            {t('repository.connect')}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
