import '../styles/gallery.css';
import '../styles/service-rows.css';
import { SPECIMENS } from './specimens.tsx';

/** Every component with its states, for whoever changes one. Development builds alone have it. */
export function Gallery() {
  return (
    <main className="gallery">
      <h1>Components</h1>
      {SPECIMENS.map(({ name, content, isWide = false }) => (
        <section key={name} aria-label={name} data-wide={isWide}>
          <h2>{name}</h2>
          <div data-specimen={name}>{content}</div>
        </section>
      ))}
    </main>
  );
}
