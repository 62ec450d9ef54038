"""The drawing behind `pywbms.plot`: one picture per module, and what the pictures share.

`style` has the colours and markers, `figure` opens and saves figures, `features` picks the columns
to draw and names them, `result` says what a picture needs to know about a fit.
"""
