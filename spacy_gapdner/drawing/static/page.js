const labelLines = () => arrangeLines(document.querySelectorAll(".entities"));
addEventListener("DOMContentLoaded", labelLines);
addEventListener("resize", () => requestAnimationFrame(labelLines));
