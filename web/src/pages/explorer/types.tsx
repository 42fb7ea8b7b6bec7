import { useState } from 'react';
import { listedTypes, namedType, type SchemaView, type TypeView, typeText } from './schema-reading.ts';

/** Every type of the schema; the chosen one with its fields, each of which leads to its own type. */
export function Types({ schema }: { readonly schema: SchemaView }) {
  const [chosen, choose] = useState('Query');
  const types = listedTypes(schema);
  const type = types.find(({ name }) => name === chosen);
  return (
    <section className="card part schema" aria-label="Schema">
      <label>
        Type{' '}
        <select value={chosen} onChange={(event) => choose(event.target.value)}>
          {types.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {type !== undefined && <Fields type={type} onType={choose} />}
    </section>
  );
}

interface FieldsProps {
  readonly type: TypeView;
  readonly onType: (name: string) => void;
}

function Fields({ type, onType }: FieldsProps) {
  const { description, fields, inputFields, enumValues } = type;
  return (
    <>
      {description !== null && <p className="soft">{description}</p>}
      {enumValues !== null && <p>{enumValues.map(({ name }) => name).join(', ')}</p>}
      <dl>
        {(fields ?? inputFields ?? []).map((field) => (
          <div key={field.name}>
            <dt>
              <code>
                {field.name}
                {field.args !== undefined && field.args.length > 0 && (
                  <span className="soft">
                    ({field.args.map((one) => `${one.name}: ${typeText(one.type)}`).join(', ')})
                  </span>
                )}
                :{' '}
              </code>
              <button type="button" className="link" onClick={() => onType(namedType(field.type))}>
                <code>{typeText(field.type)}</code>
              </button>
            </dt>
            {field.description !== null && <dd className="soft">{field.description}</dd>}
          </div>
        ))}
      </dl>
    </>
  );
}
