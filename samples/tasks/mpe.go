package tasks

func init() {
	register("tasks-mpe", "multiprogrammed mix: matrix product, Mandelbrot, filter bank and triple DES in turn",
		"Pagoda table 4 (MPE)", matmulKind, mandelbrotKind, filterbankKind, tripleDESKind)
}
