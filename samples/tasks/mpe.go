package tasks

func init() {
	register("tasks-mpe", "multiprogrammed mix: Mandelbrot, filter bank, matrix product and triple DES in turn",
		"Pagoda table 4 (MPE)", common("regular", "irregular"), mandelbrotKind, filterbankKind, matmulKind, tripleDESKind)
}
