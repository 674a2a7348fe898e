#include "tailcoat/report/sections.hpp"

namespace tailcoat::report {

// Text and quiet colours have a contrast of at least 4.5 on the page in both schemes; colours of parts are told apart
// with colour-blind eyes. Pictures stretch with the page by percentages, so that their text keeps its size on a
// telephone.
const char* const kStyle = R"(
:root{color-scheme:light dark;--paper:#fdfcfa;--ink:#1e2228;--quiet:#5a626d;--rule:#dedad2;--soft:#f3f0ea;
--grid:#e6e2da;
--zero:#7d8590;--up:#1b62a8;--down:#b0450c;--vague:#6f7782;--warn:#8f1d1d;--warnsoft:#fbeceb;
--s0:#1b62a8;--s1:#d9772f;--s2:#1d8a6b;--s3:#a8528c;--s4:#b08d1a;--s5:#6f66b8;--s6:#8a9099;--rest:#e3dfd7}
@media (prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e5e7ea;--quiet:#a3abb6;--rule:#343a42;--soft:#1e2228;
--grid:#2b3038;--zero:#7f8895;--up:#6fb3f2;--down:#f2a06a;--vague:#98a1ad;--warn:#ffb4ab;--warnsoft:#3a1f1f;
--s0:#5aa5ea;--s1:#e8914d;--s2:#46b995;--s3:#d48abb;--s4:#d6b548;--s5:#a19ae6;--s6:#8d95a1;--rest:#2f353d}}
@media print{:root{color-scheme:light;--paper:#fff;--ink:#000;--quiet:#444;--rule:#bbb;--soft:#f5f5f5;--grid:#ddd;
--zero:#777;
--up:#1b62a8;--down:#b0450c;--vague:#666;--warn:#8f1d1d;--warnsoft:#fff;
--s0:#1b62a8;--s1:#d9772f;--s2:#1d8a6b;--s3:#a8528c;--s4:#b08d1a;--s5:#6f66b8;--s6:#8a9099;--rest:#e3e3e3}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,
"Noto Sans",
"Helvetica Neue",Arial,"DejaVu Sans",sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
main{max-width:50rem;margin:0 auto;padding:3.5rem 1.5rem 4rem}
h1,h2,h3{font-family:"Iowan Old Style","Palatino Linotype",Palatino,"Book Antiqua",Charter,Georgia,"DejaVu Serif",serif;
line-height:1.25;font-weight:600;text-wrap:balance}
h1{font-size:2.3rem;margin:.1em 0 .5em;letter-spacing:-.01em}
h2{font-size:1.4rem;margin:0 0 .7rem}
h3{font-size:1.08rem;margin:1.8rem 0 .5rem}
p,ul{margin:0 0 1rem;max-width:42rem}
main ul{padding-left:1.2rem}
li{margin:.25rem 0}
section{margin-top:2.6rem;padding-top:1.9rem;border-top:1px solid var(--rule)}
em{font-style:italic}
sup{line-height:0}
bdi{unicode-bidi:isolate}
.kicker{color:var(--quiet);font-size:.82rem;letter-spacing:.08em;text-transform:uppercase;margin:0}
.lede{font-size:1.13rem;line-height:1.6}
.small,footer,small{color:var(--quiet);font-size:.86rem}
.warning{background:var(--warnsoft);border-left:4px solid var(--warn);color:var(--warn);padding:.8rem 1rem}
.figures{display:flex;flex-wrap:wrap;gap:.4rem 2.8rem;margin:1.6rem 0 0}
.figures div{display:flex;flex-direction:column-reverse}
.figures dt{color:var(--quiet);font-size:.84rem}
.figures dd{margin:0;font-size:1.5rem;line-height:1.3}
figure{margin:1.3rem 0}
figcaption{font-size:.88rem;color:var(--quiet);margin-bottom:.45rem}
svg{display:block;overflow:visible}
.bar{overflow:hidden;border-radius:3px}
.effects ol{list-style:none;margin:0;padding:0}
.effects li{display:grid;grid-template-columns:minmax(0,14rem) minmax(0,1fr) 4.8rem;column-gap:1rem;margin:0;
font-size:.88rem}
.effects li>span{margin:.2rem 0;line-height:1.25;align-self:center}
.effects li>div{position:relative;min-height:1.65rem}
.effects div>svg{position:absolute;top:-.5px;width:100%;height:calc(100% + 1px)}
.name{text-align:right;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden}
.size{text-align:right}
.up{--tone:var(--up)}.down{--tone:var(--down)}.vague{--tone:var(--vague)}.plain{--tone:var(--ink)}
li.vague .name,li.vague .size,tr.vague td,tr.vague th{color:var(--quiet)}
.grid{stroke:var(--grid)}.zero{stroke:var(--zero)}
.range{stroke:var(--tone);stroke-width:2.2;stroke-linecap:round}
.tip{fill:none;stroke:var(--tone);stroke-width:2}
.dot{fill:var(--tone);stroke:var(--tone);stroke-width:2}
.vague .dot{fill:var(--paper)}
.effects li:not(.axis):hover{background:var(--soft)}
.tick{fill:var(--quiet);font-size:.78rem;text-anchor:middle}.end{text-anchor:end}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.15rem 1.5rem;font-size:.86rem;max-width:none}
main .legend{padding:0;margin:.5rem 0 0}
.legend li{display:flex;align-items:center;gap:.5rem;margin:0}
.shares{flex-direction:column}
.shares li{display:grid;grid-template-columns:auto minmax(0,1fr) 4.5rem 7rem;max-width:36rem}
.shares b,.shares small{text-align:right;font-weight:600}.shares small{font-weight:400}
.swatch{width:.8rem;height:.8rem;flex:none}
.s0{fill:var(--s0)}.s1{fill:var(--s1)}.s2{fill:var(--s2)}.s3{fill:var(--s3)}.s4{fill:var(--s4)}.s5{fill:var(--s5)}
.s6{fill:var(--s6)}.rest{fill:var(--rest)}
.chart{max-width:40rem}.square{max-width:25rem}
.bin{fill:var(--s0);stroke:var(--paper)}.band{fill:var(--s1)}.diagonal{stroke:var(--zero);stroke-dasharray:5 4}
.curve{fill:none;stroke:var(--s0);stroke-width:2}
.here{stroke:var(--down);stroke-dasharray:3 3}.heredot{fill:var(--down)}.herelabel{fill:var(--down);font-size:.82rem}
details{margin:1rem 0}
summary{cursor:pointer;color:var(--up);font-size:.94rem}
.wide{overflow-x:auto;margin-top:.6rem}
table{border-collapse:collapse;font-size:.84rem;line-height:1.45;width:100%}
th,td{padding:.34rem .7rem .34rem 0;text-align:right;vertical-align:top;border-bottom:1px solid var(--grid);
font-weight:400}
td{white-space:nowrap}
th[scope=row],.text{text-align:left}
td.text{white-space:normal;min-width:13rem}
th[scope=row]{min-width:8rem}
thead th{overflow-wrap:normal;color:var(--quiet);border-bottom-color:var(--zero);vertical-align:bottom}
thead th:first-child{text-align:left}
.facts{width:auto}.facts td{text-align:left}
pre{background:var(--soft);padding:.9rem 1rem;white-space:pre-wrap;border-radius:4px;font-size:.88rem;line-height:1.5}
code{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
footer{margin-top:2.6rem;border-top:1px solid var(--rule);padding-top:1rem}
:focus-visible{outline:2px solid var(--up);outline-offset:2px}
@media (max-width:40rem){main{padding:2rem 1rem 3rem}h1{font-size:1.8rem}.figures{gap:.4rem 1.8rem}
.effects li{grid-template-columns:minmax(0,36%) minmax(0,1fr) 3.7rem;column-gap:.6rem;font-size:.8rem}
.minor{display:none}.shares li{grid-template-columns:auto minmax(0,1fr) 3.6rem 5.6rem}}
@media print{@page{margin:16mm 15mm}html{font-size:12.5px}main{max-width:none;padding:0}p,ul{max-width:none}
h2,h3,figcaption{break-after:avoid}section{margin-top:1.4rem;padding-top:1.1rem}
figure,tr,.effects li,.warning,.legend{break-inside:avoid}svg,.warning{print-color-adjust:exact;
-webkit-print-color-adjust:exact}
.printed::details-content{content-visibility:visible;block-size:auto}.printed summary{color:var(--ink);list-style:none}
details:not(.printed):not([open]){display:none}.wide{overflow:visible}td.text,th[scope=row]{min-width:0}}
)";

}  // namespace tailcoat::report
