import { canUsePasskeys } from '../passkeys/passkey-browser.ts';
import { PasskeyButton } from '../passkeys/passkey-button.tsx';
import { OrLine } from './or-line.tsx';
import { ProviderLinks, type ProviderLinksProps } from './provider-links.tsx';
import { useSignInWays } from './use-sign-in-ways.ts';

/** Ways to sign in besides the password: passkeys and identity providers. Renders nothing if there are none. */
export function OtherWays(props: ProviderLinksProps) {
  const { data = [] } = useSignInWays();
  const hasPasskeys = data.some(({ kind }) => kind === 'passkey') && canUsePasskeys(window);
  if (!hasPasskeys && !data.some(({ kind }) => kind === 'oidc')) return null;
  return (
    <>
      <OrLine />
      <div className="flex flex-col gap-2">
        {hasPasskeys && <PasskeyButton />}
        <ProviderLinks {...props} />
      </div>
    </>
  );
}
