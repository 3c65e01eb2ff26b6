import { useRef, useState } from 'react';
import { ZoomDialog } from './zoom-dialog.tsx';

export interface ZoomImageProps {
  readonly src: string;
  readonly alt: string;
  /** The tooltip, which says what a press does. */
  readonly label: string;
  /** Class names of the image. */
  readonly className?: string;
}

/** An image that opens full screen when pressed. */
export function ZoomImage({ src, alt, label, className = '' }: ZoomImageProps) {
  const image = useRef<HTMLImageElement>(null);
  const [size, setSize] = useState<{ readonly width: number; readonly height: number } | undefined>();
  const enlarge = () => {
    const { naturalWidth = 0, naturalHeight = 0 } = image.current ?? {};
    // An SVG may have no intrinsic size.
    setSize({ width: naturalWidth || innerWidth, height: naturalHeight || innerHeight });
  };
  return (
    <>
      <button
        type="button"
        title={label}
        className="inline-block max-w-full cursor-zoom-in self-center rounded-md align-top"
        onClick={enlarge}
      >
        <img ref={image} src={src} alt={alt} className={`max-w-full rounded-md ${className}`} />
      </button>
      {size && <ZoomDialog title={alt} src={src} size={size} onClose={() => setSize(undefined)} />}
    </>
  );
}
