import { useState } from 'react'
import { chooseTheme, currentTheme } from '../app/theme.ts'
import { Card } from '../parts/card.tsx'
import { Segments } from '../parts/segments.tsx'

/** Light or dark. */
export function AppearanceCard() {
  const [theme, setTheme] = useState(currentTheme)
  return (
    <Card title="Appearance">
      <div className="space-y-3">
        <p className="text-soft">
          What you choose holds for this browser. Until then it is what the system says.
        </p>
        <Segments
          label="Theme"
          choices={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          chosen={theme}
          onChoose={(chosen) => {
            chooseTheme(chosen)
            setTheme(chosen)
          }}
        />
      </div>
    </Card>
  )
}
