/** Trilium's yellow, the one background that has a markdown form: `==text==`. */
export const HIGHLIGHT_STYLE = 'background-color:hsl(60, 75%, 60%);';
