import '../styles/gallery.css';
import '../styles/service-rows.css';
import '../styles/service-cards.css';
import { pageIsDrawn } from '../parts/lazily.ts';
import { SPECIMENS } from './specimens.tsx';

pageIsDrawn();

/** Every component with its states, for whoever changes one. Development builds alone have it. */
export function Gallery() {
  const framed = new URLSearchParams(location.search).get('framed');
  if (framed !== null) return SPECIMENS.find(({ name }) => name === framed)?.content;
  return (
    <main className="gallery">
      <h1>Components</h1>
      {SPECIMENS.map(({ name, content, isWide = false, frame }) => (
        <section key={name} aria-label={name} data-wide={isWide}>
          <h2>{name}</h2>
          <div data-specimen={name}>
            {frame === undefined ? (
              content
            ) : (
              <iframe {...frame} title={name} src={`/components?framed=${name}`} />
            )}
          </div>
        </section>
      ))}
    </main>
  );
}
