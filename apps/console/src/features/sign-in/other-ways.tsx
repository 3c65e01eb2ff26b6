import { canUsePasskeys } from '../passkeys/passkey-browser.ts';
import { PasskeyButton } from '../passkeys/passkey-button.tsx';
import { OrLine } from './or-line.tsx';
import { ProviderLinks, type ProviderLinksProps } from './provider-links.tsx';
import { useSignInWays } from './use-sign-in-ways.ts';

/** What there is besides the password; nothing at all where there is nothing. */
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
