import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './style.css'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root')
createRoot(root).render(<StrictMode>Hello</StrictMode>)
