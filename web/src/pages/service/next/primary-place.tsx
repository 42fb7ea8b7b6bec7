import { type ReactNode, useEffect, useRef, useState } from 'react';

/**
 * The place of the first button. A phone keeps the button within reach of a thumb at the bottom of the screen as long as its
 * place lies below that, and not a moment longer: it must never cover the words that it belongs to.
 */
export function PrimaryPlace({ children }: { readonly children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [isBelow, setBelow] = useState(false);
  useEffect(() => {
    const section = place.current?.closest('section');
    if (section == null) return;
    const watch = new IntersectionObserver(([entry]) => {
      if (entry === undefined) return;
      setBelow(!entry.isIntersecting && entry.boundingClientRect.top > 0);
    });
    watch.observe(section);
    return () => watch.disconnect();
  }, []);
  return (
    <div ref={place} className="primary-place" data-below={isBelow}>
      <div>{children}</div>
    </div>
  );
}
